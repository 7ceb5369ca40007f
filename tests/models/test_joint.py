"""The joint base: its heads, losses and answers against sums written out."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import keras
import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import assert_close
from checks import draw
from checks import draw_weights
from checks import pad
from keras import ops

from keras_slu.layers.embedder import SelfAttentiveEmbedder
from keras_slu.models.joint import JointSLU
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

INTENTS = ["play", "play#stop", ""]
TAGS = ["O", "B-a", "I-a", "B-b"]
X = {
    "token_ids": np.array(
        [[4, 8, 1, 5], [6, 3, 8, 0], [7, 0, 0, 0], [2, 2, 9, 4]], "int32"
    )
}
MASK = X["token_ids"] != 0
Y = {
    "intent": np.array([0, 2, -1, 1], "int32"),
    "slots": np.array(
        [[0, 1, 2, 0], [3, 0, 1, -1], [0, -1, -1, -1], [1, 1, 2, 2]], "int32"
    ),
}


def make(random=False, **kwargs):
    """A tiny model, with fresh or with random weights; not calibrated."""
    keras.utils.set_random_seed(3)
    encoder = SelfAttentiveEmbedder(12, 4, 8, dtype=kwargs.get("dtype"))
    model = JointSLU(encoder, INTENTS, TAGS, **kwargs)
    if random:
        identity = model.calibration.get_weights()
        draw_weights(model)
        model.calibration.set_weights(identity)
    return model


def softmax(x):
    x = np.exp(np.float64(x) - np.max(x, axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("slot_head", ["crf", "softmax"])
@pytest.mark.parametrize("label_attention", [True, False])
def test_the_heads(label_attention, slot_head):
    """Label attention over the heads' own weights, and a masked max-pool."""
    model = make(True, label_attention=label_attention, slot_head=slot_head)
    hidden = array(model.encoder(X["token_ids"], padding_mask=MASK))

    def side(dense):
        kernel, bias = map(array, dense.weights)
        if not label_attention:
            return hidden, kernel, bias
        return softmax(hidden @ kernel) @ kernel.T + hidden, kernel, bias

    features, kernel, bias = side(model.intent_logits)
    pooled = [row[mask].max(axis=0) for row, mask in zip(features, MASK, strict=True)]
    intent = np.array(pooled) @ kernel + bias
    features, kernel, bias = side(model.slot_logits)
    outputs = model(X)
    assert set(outputs) == {"intent", "slots"}
    assert_close(
        [array(outputs["intent"]), array(outputs["slots"])[MASK]],
        [intent, (features @ kernel + bias)[MASK]],
        1e-4,
    )


def test_the_interaction_gets_both_sides_and_the_mask():
    class Swap(keras.layers.Layer):
        def build(self, *shapes):
            pass

        def call(self, intent, slots, padding_mask=None, training=None):
            real = ops.cast(padding_mask, intent.dtype)[..., None]
            return slots * real, intent

    swapped, plain = make(interaction=Swap()), make()
    assert_close(swapped.get_weights(), plain.get_weights(), 0)
    for model in (swapped, plain):
        model.intent_logits.kernel.assign(draw(8, 3, seed=1))
        model.slot_logits.kernel.assign(draw(8, 4, seed=2))
    slots = array(swapped(X)["slots"])
    # What the slot head sees is the intent side.
    hidden = array(plain.encoder(X["token_ids"], padding_mask=MASK))
    kernel = draw(8, 3, seed=1)
    seen = softmax(hidden @ kernel) @ kernel.T + hidden
    assert_close([slots], [seen @ draw(8, 4, seed=2)], 1e-4)


def legal_paths(time):
    """All tag sequences that BIO allows over `TAGS`, whose id 2 is `I-a`."""
    for path in product(range(len(TAGS)), repeat=time):
        if all(
            tag != 2 or (place and path[place - 1] in (1, 2))
            for place, tag in enumerate(path)
        ):
            yield path


def path_probabilities(crf, potentials):
    """All legal paths of one utterance, and their log-probabilities."""
    weights = {w.name: np.float64(array(w)) for w in crf.weights}
    paths = np.array(list(legal_paths(len(potentials))))
    scores = [
        weights["start"][path[0]]
        + weights["end"][path[-1]]
        + weights["transitions"][path[:-1], path[1:]].sum()
        + np.float64(potentials)[np.arange(len(path)), path].sum()
        for path in paths
    ]
    return paths, scores - np.log(np.sum(np.exp(scores)))


def losses_by_hand(model, outputs, smoothing):
    """The loss of each utterance, from logits and potentials."""

    def crossentropy(logits, label):
        if label < 0:
            return 0.0
        target = np.full(len(logits), smoothing / len(logits))
        target[label] += 1 - smoothing
        return -(target * np.log(softmax(logits))).sum()

    losses = []
    for row, length in enumerate(MASK.sum(axis=1)):
        tags = Y["slots"][row, :length]
        potentials = array(outputs["slots"])[row, :length]
        if model.crf is None:
            slots = sum(map(crossentropy, potentials, tags))
        else:
            paths, logs = path_probabilities(model.crf, potentials)
            slots = -logs[(paths == tags).all(axis=1)][0]
        intent = crossentropy(array(outputs["intent"])[row], Y["intent"][row])
        losses.append(intent + model.slot_loss_weight * slots)
    return np.array(losses)


@pytest.mark.parametrize("slot_head", ["crf", "softmax"])
@pytest.mark.parametrize("smoothing, slot_loss_weight", [(0.0, 1.0), (0.2, 0.5)])
def test_the_losses(slot_head, smoothing, slot_loss_weight):
    model = make(
        True,
        slot_head=slot_head,
        label_smoothing=smoothing,
        slot_loss_weight=slot_loss_weight,
    )
    outputs = model(X)
    losses = losses_by_hand(model, outputs, smoothing)
    np.testing.assert_allclose(
        array(model.utterance_losses(X, Y, outputs)), losses, rtol=1e-4
    )
    loss = model.compute_loss(X, Y, outputs)
    assert float(loss) == pytest.approx(losses.mean(), rel=1e-4)
    weights = np.array([1.0, 0.5, 0.0, 2.0], "float32")
    loss = model.compute_loss(X, Y, outputs, weights)
    assert float(loss) == pytest.approx((losses * weights).mean(), rel=1e-4)


@pytest.mark.parametrize("slot_head", ["crf", "softmax"])
def test_evaluate_gives_the_mean_over_utterances(slot_head):
    model = make(True, slot_head=slot_head)
    weights = np.array([1.0, 0.5, 0.0, 2.0], "float32")
    losses = array(model.utterance_losses(X, Y, model(X)))
    loss = model.evaluate(X, Y, batch_size=2, verbose=0)
    assert np.ravel(loss)[0] == pytest.approx(losses.mean(), rel=1e-5)
    loss = model.evaluate(X, Y, batch_size=2, sample_weight=weights, verbose=0)
    assert np.ravel(loss)[0] == pytest.approx((losses * weights).mean(), rel=1e-5)


OUTPUTS = {"intent": draw(3, 3), "slots": draw(3, 4, 4, seed=1)}
LENGTHS = [4, 3, 1]


def test_answers_of_a_crf():
    model = make(True)
    mask = np.arange(4)[None] < np.array(LENGTHS)[:, None]
    answers = {name: array(x) for name, x in model.decode(OUTPUTS, mask).items()}
    np.testing.assert_allclose(
        answers["intent_probabilities"], softmax(OUTPUTS["intent"]), atol=1e-6
    )
    assert answers["tags"].dtype == "int32"
    for row, length in enumerate(LENGTHS):
        paths, logs = path_probabilities(model.crf, OUTPUTS["slots"][row, :length])
        tags = answers["tags"][row]
        assert tuple(tags[:length]) == tuple(paths[logs.argmax()])
        assert (tags[length:] == -1).all()
        for time in range(length):
            # The span that a token is in: `I-a` (2) goes on, all else begins.
            first, last = time, time
            while tags[first] == 2:
                first -= 1
            while last + 1 < length and tags[last + 1] == 2:
                last += 1
            same = (paths[:, first : last + 1] == tags[first : last + 1]).all(axis=1)
            if last + 1 < length and tags[last] in (1, 2):
                same &= paths[:, last + 1] != 2
            np.testing.assert_allclose(
                answers["slot_confidence"][row, time],
                np.exp(logs[same]).sum(),
                atol=1e-5,
            )
        assert not answers["slot_confidence"][row, length:].any()


def test_answers_of_a_softmax():
    model = make(slot_head="softmax")
    mask = np.arange(4)[None] < np.array(LENGTHS)[:, None]
    answers = {name: array(x) for name, x in model.decode(OUTPUTS, mask).items()}
    probabilities = softmax(OUTPUTS["slots"])
    for row, length in enumerate(LENGTHS):
        tags = answers["tags"][row]
        np.testing.assert_array_equal(
            tags[:length], probabilities[row, :length].argmax(axis=-1)
        )
        assert (tags[length:] == -1).all()
        for time in range(length):
            first, last = time, time
            while first and tags[first] == 2 and tags[first - 1] in (1, 2):
                first -= 1
            while last + 1 < length and tags[last + 1] == 2 and tags[last] in (1, 2):
                last += 1
            least = probabilities[row, first : last + 1].max(axis=-1).min()
            np.testing.assert_allclose(
                answers["slot_confidence"][row, time], least, atol=1e-6
            )
        assert not answers["slot_confidence"][row, length:].any()


@pytest.mark.parametrize("slot_head", ["crf", "softmax"])
def test_without_a_mask_all_is_real(slot_head):
    model = make(True, slot_head=slot_head)
    assert_close(
        arrays(model.decode(OUTPUTS)),
        arrays(model.decode(OUTPUTS, np.ones((3, 4), bool))),
        0,
    )


@pytest.mark.parametrize("slot_head", ["crf", "softmax"])
def test_more_padding_changes_nothing(slot_head):
    model = make(True, slot_head=slot_head)
    longer = {"token_ids": pad(X["token_ids"])}
    labels = {**Y, "slots": np.pad(Y["slots"], [(0, 0), (0, 3)], constant_values=-1)}
    short, long = model(X), model(longer)
    assert_close(
        [array(long["intent"]), array(long["slots"])[:, :4][MASK]],
        [array(short["intent"]), array(short["slots"])[MASK]],
        1e-5,
    )
    assert_close(
        arrays(model.utterance_losses(longer, labels, long)),
        arrays(model.utterance_losses(X, Y, short)),
        1e-5,
    )
    answers, more = model.decode(short, MASK), model.decode(long, pad(MASK))
    for name in ("tags", "slot_confidence"):
        assert_close([array(more[name])[:, :4]], [array(answers[name])], 1e-5)


@pytest.mark.parametrize("slot_head", ["crf", "softmax"])
def test_the_shared_checks(check_model, slot_head):
    def make_with_text():
        model = make(slot_head=slot_head, label_smoothing=0.1, slot_loss_weight=0.5)
        model.tokenizer = Tokenizer(mode="whitespace", lowercase=False)
        model.vocabulary = Vocabulary(["play", "it", "Zoë"])
        return model

    check_model(
        make_with_text,
        X,
        Y,
        loaded=f"""
assert type(model).__name__ == "JointSLU"
assert type(model.optimizer).__name__ == "RectifiedAdam"
assert (model.intents, model.tags) == ({INTENTS!r}, {TAGS!r})
assert (model.label_smoothing, model.slot_loss_weight) == (0.1, 0.5)
assert model.vocabulary.words == ("play", "it", "Zoë")
tokenizer = model.tokenizer
assert (tokenizer.mode, tokenizer.lowercase) == ("whitespace", False)
assert [token.text for token in tokenizer.tokenize("a, b")] == ["a,", "b"]
""",
    )


def test_an_optimizer_of_the_users_is_kept(check_model):
    def make_with_sgd():
        model = make(slot_head="softmax", label_attention=False)
        optimizer = keras.optimizers.SGD(0.125, momentum=0.5)
        model.compile(optimizer=optimizer, loss=model.default_loss())
        return model

    check_model(
        make_with_sgd,
        X,
        Y,
        loaded="""
assert type(model.optimizer).__name__ == "SGD"
assert float(model.optimizer.learning_rate) == 0.125
assert model.tokenizer is None and model.vocabulary is None
""",
    )


def test_predict_gives_what_call_gives():
    model = make(True)
    predicted = model.predict(X, batch_size=3, verbose=0)
    assert predicted["intent"].shape == (4, 3)
    assert predicted["slots"].shape == (4, 4, 4)
    for name, output in model(X).items():
        np.testing.assert_allclose(predicted[name], array(output), atol=1e-5)


def test_mixed_precision_fits():
    model = make(dtype="mixed_float16")
    assert model.encoder.compute_dtype == "float16"
    assert {w.dtype for w in model.trainable_weights} == {"float32"}
    assert isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    # The default's first scale overflows for some steps, as it is meant to.
    optimizer = keras.optimizers.LossScaleOptimizer(
        keras.optimizers.Adam(0.05), initial_scale=64.0
    )
    model.compile(optimizer=optimizer, loss=model.default_loss())
    history = model.fit(X, Y, batch_size=2, epochs=8, verbose=0).history["loss"]
    assert np.isfinite(history).all()
    assert history[-1] < history[0] / 2
    for output in model(X).values():
        assert keras.backend.standardize_dtype(output.dtype) == "float32"


def test_an_unknown_slot_head_is_refused():
    with pytest.raises(ValueError, match="Received: 'svm'"):
        make(slot_head="svm")


def test_two_replicas_give_the_weights_of_one():
    script = Path(__file__).with_name("two_replicas_of_the_models.py")
    child = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    results = json.loads(child.stdout.splitlines()[-1])
    assert len(results) == 3
    for name, (difference, moved) in results.items():
        assert difference < 1e-5, (name, results)
        assert moved > 1e-2, (name, results)


SETS = {**Y, "intent": np.array([[0, 0], [1, 1], [-1, -1], [0, 1]], "int32")}


def make_of_sets(random=False, **kwargs):
    keras.utils.set_random_seed(3)
    encoder = SelfAttentiveEmbedder(12, 4, 8)
    model = JointSLU(encoder, ["play", "stop"], TAGS, intent_head="sigmoid", **kwargs)
    if random:
        identity = model.calibration.get_weights()
        draw_weights(model)
        model.calibration.set_weights(identity)
    return model


def test_the_losses_of_sets_of_intents():
    model = make_of_sets(random=True, slot_head="softmax", label_smoothing=0.2)
    outputs = model(X)
    yes = 1 / (1 + np.exp(-np.float64(array(outputs["intent"]))))
    target = 0.8 * SETS["intent"] + 0.1
    losses = -(target * np.log(yes) + (1 - target) * np.log(1 - yes)).sum(axis=1)
    losses[2] = 0.0
    no_slots = {**SETS, "slots": np.full_like(Y["slots"], -1)}
    found = array(model.utterance_losses(X, no_slots, outputs))
    np.testing.assert_allclose(found, losses, rtol=1e-4)
    assert float(model.compute_loss(X, no_slots, outputs)) == pytest.approx(
        losses.mean(), rel=1e-4
    )


def test_answers_of_sets_of_intents():
    model = make_of_sets()
    model.calibration.intent_threshold.assign(0.3)
    logits = np.array([[2.0, 3.0], [-2.0, -0.5], [-2.0, -2.0]], "float32")
    answers = model.decode({**OUTPUTS, "intent": logits})
    np.testing.assert_allclose(
        array(answers["intent_probabilities"]), 1 / (1 + np.exp(-logits)), rtol=1e-5
    )
    active = array(answers["intent_active"])
    assert active.tolist() == [[True, True], [False, True], [False, False]]


def test_sets_of_intents_pass_the_shared_checks(check_model):
    loaded = """
assert model.intent_head == "sigmoid"
assert float(model.calibration.intent_threshold) == 0.5
"""
    check_model(make_of_sets, X, SETS, loaded)


def test_configs_of_models_with_a_softmax_are_as_before_there_was_a_sigmoid():
    assert "intent_head" not in make().get_config()
    assert make_of_sets().get_config()["intent_head"] == "sigmoid"


def test_an_unknown_intent_head_is_refused():
    with pytest.raises(ValueError, match="`intent_head`.*Received: 'crf'"):
        make(intent_head="crf")


@pytest.mark.parametrize("intent_head", ["softmax", "sigmoid"])
@pytest.mark.parametrize("slot_head", ["crf", "softmax"])
def test_a_teachers_labels_count_by_their_weight(slot_head, intent_head):
    model = make(
        True, slot_head=slot_head, intent_head=intent_head, slot_loss_weight=0.5
    )
    outputs = model(X)
    random = np.random.default_rng(0)
    soft_slots = softmax(random.normal(size=(4, 4, len(TAGS)))) * MASK[..., None]
    labels = {
        "soft_intent": softmax(random.normal(size=(4, len(INTENTS)))),
        "soft_slots": soft_slots,
        "soft_weight": np.array([1.0, 0.0, 2.0, 0.5]),
    }
    intent = array(outputs["intent"])
    yes = 1.0 / (1.0 + np.exp(-np.float64(intent)))
    soft = labels["soft_intent"]
    of_intents = -(soft * np.log(softmax(intent))).sum(axis=1)
    if intent_head == "sigmoid":
        of_intents = -(soft * np.log(yes) + (1 - soft) * np.log(1 - yes)).sum(axis=1)
    likely = softmax(array(outputs["slots"]))
    if slot_head == "crf":
        likely = array(model.crf.marginals(outputs["slots"], MASK))
    # What BIO forbids is not quite impossible to a loss.
    logs = np.log(np.where(MASK[..., None], np.maximum(likely, 1e-7), 1.0))
    of_slots = -(soft_slots * logs).sum(axis=(1, 2))
    expected = labels["soft_weight"] * (of_intents + 0.5 * of_slots)
    floats = {name: np.float32(values) for name, values in labels.items()}
    assert_close([array(model.taught_losses(X, floats, outputs))], [expected], 1e-4)
    gold = Y if intent_head == "softmax" else {**Y, "intent": np.ones((4, 3), "int32")}
    without = float(model.compute_loss(X, gold, outputs))
    taught = float(model.compute_loss(X, {**gold, **floats}, outputs))
    assert taught - without == pytest.approx(expected.mean(), rel=1e-4)
