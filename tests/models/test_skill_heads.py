"""Outputs, losses and answers of each kind of task, against sums written out."""

import numpy as np
import pytest
import skills
from checks import array
from checks import draw_weights


@pytest.fixture(scope="module")
def model():
    made = skills.make()
    draw_weights(made)
    return made


def run(model, name, wider=0):
    inputs, targets = skills.batch(name, wider)
    outputs = model(inputs, task=name)
    losses = array(model.losses_of(name, inputs, targets, outputs))
    answers = model.decode(name, outputs, inputs)
    return (
        inputs,
        targets,
        {key: array(value) for key, value in outputs.items()},
        losses,
        {key: array(value) for key, value in answers.items()},
    )


def hidden(model, name, pieces="pieces"):
    """What the encoder makes of a batch with the task's skills."""
    inputs, _ = skills.batch(name)
    task = skills.TASKS[skills.NAMES.index(name)]
    segments = inputs["segments"] if pieces == "pieces" else None
    return array(model.encoder(inputs[pieces], segments, skills=task.skills))


def head(model, name):
    return model.heads[skills.NAMES.index(name)]


def softmax(x):
    x = np.exp(np.float64(x) - np.max(x, axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("name", ["mood", "follows", "same"])
def test_classes_are_read_off_the_pooled_first_piece(model, name):
    _, targets, outputs, losses, answers = run(model, name)
    kernel, bias = map(array, model.pooler.weights)
    pooled = np.tanh(hidden(model, name)[:, 0] @ kernel + bias)
    kernel, bias = map(array, head(model, name).logits.weights)
    scores = pooled @ kernel + bias
    np.testing.assert_allclose(outputs["scores"], scores, atol=1e-4)
    probabilities = softmax(scores)
    np.testing.assert_allclose(answers["probabilities"], probabilities, atol=1e-4)
    assert answers["label"].tolist() == scores.argmax(axis=-1).tolist()
    gold = probabilities[np.arange(4), targets[:, 0]]
    np.testing.assert_allclose(losses, -np.log(gold), rtol=1e-4, atol=1e-5)


def test_tags_are_of_each_words_first_piece(model):
    inputs, targets, outputs, losses, answers = run(model, "names")
    words = hidden(model, "names")[np.arange(4)[:, None], inputs["words"]]
    kernel, bias = map(array, head(model, "names").logits.weights)
    mask = inputs["words"] > 0
    expected = words @ kernel + bias
    np.testing.assert_allclose(outputs["tags"][mask], expected[mask], atol=1e-4)
    crf = head(model, "names").crf
    sums = array(crf.negative_log_likelihood(outputs["tags"], targets, mask))
    np.testing.assert_allclose(losses, sums / [3, 2, 3, 1], rtol=1e-5)
    expected = array(crf.decode(outputs["tags"], mask))
    assert answers["tags"].tolist() == expected.tolist()
    assert answers["tags"][3].tolist()[1:] == [-1, -1]
    # B-x or O begins, never I-x.
    assert not (answers["tags"][:, 0] == 2).any()


def test_an_answer_is_the_best_span_of_the_passage(model):
    _, targets, outputs, losses, answers = run(model, "reading")
    places = [{4, 5}, {3}, {3, 4, 5}, set()]  # without question and last [SEP]
    start, end = (softmax(outputs[side]) for side in ("start", "end"))
    for row, allowed in enumerate(places):
        hit = set(np.flatnonzero(outputs["start"][row] > -1e8))
        assert hit == allowed | {0}
        spans = {
            (s, e): start[row, s] * end[row, e]
            for s in allowed
            for e in allowed
            if s <= e
        }
        best = max(spans, key=spans.get, default=(0, 0))
        assert (answers["start"][row], answers["end"][row]) == best
        probability = spans.get(best, 0.0)
        np.testing.assert_allclose(answers["probability"][row], probability, rtol=1e-4)
    np.testing.assert_allclose(answers["no_answer"], start[:, 0] * end[:, 0], rtol=1e-4)
    gold = start[np.arange(4), targets[:, 0]] * end[np.arange(4), targets[:, 1]]
    np.testing.assert_allclose(losses, -0.5 * np.log(gold), rtol=1e-4, atol=1e-6)
    vectors = array(head(model, "reading").vectors.kernel)
    scores = hidden(model, "reading") @ vectors
    np.testing.assert_allclose(outputs["start"][0, 4], scores[0, 4, 0], atol=1e-4)
    np.testing.assert_allclose(outputs["end"][2, 5], scores[2, 5, 1], atol=1e-4)


def test_an_answer_has_a_longest_length(model):
    inputs, _ = skills.batch("reading")
    outputs = {side: np.full((4, 7), -9.0, "float32") for side in ("start", "end")}
    outputs["start"][2, 3] = outputs["end"][2, 5] = 9.0
    for longest, expected in ((3, (3, 5)), (2, None)):
        answers = model.decode("reading", outputs, inputs, max_answer=longest)
        found = int(answers["start"][2]), int(answers["end"][2])
        assert found == expected if expected else found[1] - found[0] < 2


def test_ranking_is_by_the_cosine_of_two_texts(model):
    _, targets, outputs, losses, answers = run(model, "nearest")
    one, other = (
        hidden(model, "nearest", pieces)[:, 0] for pieces in ("pieces", "second")
    )
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    scale, bias = map(array, head(model, "nearest").weights)
    scores = scale * (one * other).sum(axis=1) / norms + bias
    np.testing.assert_allclose(outputs["scores"], scores, atol=1e-4)
    np.testing.assert_allclose(answers["scores"], scores, atol=1e-4)
    signs = 2 * targets[:, 0] - 1
    np.testing.assert_allclose(losses, np.log1p(np.exp(-signs * scores)), atol=1e-4)


def test_masked_pieces_are_told_by_the_embedding(model):
    inputs, targets, outputs, losses, answers = run(model, "pieces")
    layer = head(model, "pieces")
    kernel, bias = map(array, layer.transform.weights)
    asked = hidden(model, "pieces")[np.arange(4)[:, None], inputs["words"]]
    features = skills.norm(layer.norm, skills.gelu(asked @ kernel + bias))
    table = array(model.encoder.embedding.embeddings)
    scores = features @ table.T + array(layer.bias)
    np.testing.assert_allclose(outputs["pieces"], scores, atol=1e-3)
    assert answers["pieces"].tolist() == scores.argmax(axis=-1).tolist()
    logs = np.log(softmax(outputs["pieces"]))
    expected = [-(logs[0, 0, 4] + logs[0, 1, 12]) / 2, 0.0, -logs[2, 0, 9], 0.0]
    np.testing.assert_allclose(losses, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", skills.NAMES)
def test_more_padding_changes_nothing(model, name):
    inputs, _, outputs, losses, answers = run(model, name)
    _, _, wide_outputs, wide_losses, wide_answers = run(model, name, wider=3)
    np.testing.assert_allclose(wide_losses, losses, rtol=1e-4, atol=1e-5)
    has_words = inputs["words"].size > 0
    padding = inputs["words"] == 0 if has_words else inputs["pieces"] == 0
    for found, expected in ((wide_outputs, outputs), (wide_answers, answers)):
        for key, value in expected.items():
            wide = found[key][tuple(slice(size) for size in value.shape)]
            if value.shape[:2] == padding.shape:  # has a time axis
                wide, value = wide[~padding], value[~padding]
            np.testing.assert_allclose(wide, value, atol=1e-4, err_msg=key)
