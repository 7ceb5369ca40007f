"""SlotRefine: what each pass sees, its losses, and the shared checks of a model."""

import keras
import numpy as np
import pytest
from checks import array
from checks import assert_close
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from checks import pad
from models_data import X
from models_data import Y

from keras_slu.layers.layer_refine import with_sentence
from keras_slu.layers.slot_label_generator import consistency_losses
from keras_slu.layers.softmax import softmax
from keras_slu.losses import SlotCrossentropy
from keras_slu.models.slot_refine import SlotRefine

TAGS = ["B-a", "O", "I-a", "B-b"]  # `O` need not come first
MASK = X["token_ids"] != 0
FIRST = np.full((4, 1), -1, "int32")
TAUGHT = {**X, "prev_tags": np.concatenate([FIRST, Y["slots"][:, :-1]], axis=1)}
REFINED = {"refine_after": (1,), "generator": True}


def make(random=False, **kwargs):
    keras.utils.set_random_seed(3)
    settings = {"embedding_dim": 4, "dim": 16, "num_heads": 4, "dropout": 0.0, **kwargs}
    model = SlotRefine(12, intents=["play", "stop"], tags=TAGS, **settings)
    if random:
        identity = model.calibration.get_weights()
        draw_weights(model)
        model.calibration.set_weights(identity)
    return model


def through_layers(model, hidden, mask):
    """Both layers, between them LRM where the model has it."""
    hidden = model.transformer(hidden, padding_mask=mask, last=1)
    if model.refine is not None:
        intent = softmax(model.intent_logits(hidden[:, 0]))
        slots = softmax(model.slot_logits(with_sentence(hidden)))
        hidden = model.refine(hidden, intent, slots, padding_mask=mask)
    return array(model.transformer(hidden, padding_mask=mask, first=2))


def reference(model, tag_of):
    """One pass in NumPy; `tag_of(row, time)` is the tag fed, or `None`."""
    embedder = model.encoder
    kernel, bias = map(array, embedder.projection.weights)
    words = array(embedder.embedding.embeddings)[X["token_ids"]] @ kernel + bias
    rows = array(model.tag_embedding.embeddings)
    hidden = np.empty((4, 5, 16), "float32")
    for row in range(4):
        hidden[row, 0] = array(embedder.sentence)
        for time in range(4):
            tag = tag_of(row, time)
            of_tag = rows[0] if tag is None else rows[1 + TAGS.index(tag)]
            hidden[row, 1 + time] = words[row, time] + of_tag
    mask = np.concatenate([np.ones((4, 1), bool), MASK], axis=1)
    hidden = through_layers(model, hidden, mask)
    w_intent, b_intent = map(array, model.intent_logits.weights)
    w_slots, b_slots = map(array, model.slot_logits.weights)
    intent = hidden[:, 0] @ w_intent + b_intent
    sentence = np.repeat(hidden[:, :1], 4, axis=1)
    slots = np.concatenate([sentence, hidden[:, 1:]], axis=-1) @ w_slots + b_slots
    return intent, slots


@pytest.fixture(scope="module")
def drawn():
    model = make(random=True, consistency_weight=0.3, generator_weight=0.7, **REFINED)
    return model, model.get_weights()


@pytest.fixture
def refined(drawn):
    """A model with LRM and SLG, whose weights a test may change."""
    model, weights = drawn
    model.set_weights(weights)
    return model


@pytest.mark.parametrize(("refine_after", "varied"), [((), "BIO"), ((1,), "BI")])
def test_the_two_passes(refine_after, varied):
    model = make(random=True, refine_after=refine_after)
    _, slots = reference(model, lambda row, time: "O")
    level = slots[MASK].mean(axis=0)  # taken off, tags vary
    model.slot_logits.bias.assign(array(model.slot_logits.bias) - level)
    outputs = {name: array(value) for name, value in model(X).items()}
    intent, slots = reference(model, lambda row, time: "O")
    assert_close([outputs["first_intent"]], [intent], 1e-4)
    assert_close([outputs["first_slots"][MASK]], [slots[MASK]], 1e-4)

    found = [[TAGS[tag] for tag in row] for row in slots.argmax(axis=-1)]
    kinds = {tag[0] for row, real in zip(found, MASK, strict=True)
             for tag in np.array(row)[real]}  # fmt: skip
    assert kinds == set(varied)  # or the case shows nothing

    def begins(row, time):
        tag = found[row][time]
        return tag if tag.startswith("B-") else None

    intent, slots = reference(model, begins)
    assert_close([outputs["intent"]], [intent], 1e-4)
    assert_close([outputs["slots"][MASK]], [slots[MASK]], 1e-4)


@pytest.mark.parametrize("intent_head", ["softmax", "sigmoid"])
def test_the_losses_are_those_of_both_passes(intent_head):
    model = make(random=True, slot_loss_weight=0.5, intent_head=intent_head)
    labels = dict(Y)
    if intent_head == "sigmoid":
        labels["intent"] = np.array([[0, 0], [1, 1], [0, 1], [1, 0]], "int32")
    outputs = model(X)
    expected = 0.0
    for name in ("", "first_"):
        intents = np.float64(array(outputs[f"{name}intent"]))
        slots = np.float64(array(outputs[f"{name}slots"]))
        logs = slots - np.log(np.exp(slots).sum(axis=-1, keepdims=True))
        for row in range(4):
            gold = labels["intent"][row]
            if intent_head == "softmax":
                expected += np.log(np.exp(intents[row]).sum()) - intents[row, gold]
            else:
                signs = 1 - 2 * gold
                expected += np.log1p(np.exp(signs * intents[row])).sum()
            for time in np.flatnonzero(MASK[row]):
                expected -= 0.5 * logs[row, time, labels["slots"][row, time]]
    loss = float(model.compute_loss(X, labels, outputs))
    assert loss == pytest.approx(expected / 4, rel=1e-4)


def test_the_generators_loss_is_added_with_its_weights(refined):
    outputs = refined(TAUGHT, training=True)
    both = array(refined.own_losses(TAUGHT, Y, outputs))
    generated = outputs.pop("generated")
    first = array(refined.own_losses(TAUGHT, Y, outputs))
    own = array(SlotCrossentropy().call(Y["slots"], generated))
    gap = array(consistency_losses(generated, outputs["slots"], MASK))
    np.testing.assert_allclose(both - first, 0.7 * (own + 0.3 * gap), rtol=1e-4)


def test_refinement_does_not_reach_the_generator(refined):
    before = refined(TAUGHT, training=True)
    for inputs, training in ((TAUGHT, False), (TAUGHT, None), (X, True)):
        assert "generated" not in refined(inputs, training=training)
    for weight in refined.refine.weights:
        weight.assign(3.0 * array(weight) + 1.0)
    after = refined(TAUGHT, training=True)
    np.testing.assert_array_equal(after["generated"], before["generated"])
    assert np.abs(array(after["slots"]) - array(before["slots"])).max() > 1e-2


def test_labels_that_say_nothing_leave_the_model_without_both(refined):
    without = make()
    assert refined.is_taught and not without.is_taught
    parts = (refined.refine, refined.generator)
    for embeddings in (parts[0].intent_embeddings, parts[0].slot_embeddings):
        embeddings.assign(0.0 * embeddings)
    more = {id(weight) for part in parts for weight in part.weights}
    without.set_weights([array(w) for w in refined.weights if id(w) not in more])
    found, expected = refined(X), without(X)
    assert found.keys() == expected.keys()
    for name, logits in expected.items():
        np.testing.assert_array_equal(found[name], logits)


@needs_tensorflow
def test_gradients_reach_all_weights(refined):
    def loss():
        return refined.compute_loss(TAUGHT, Y, refined(TAUGHT, training=True))

    weights = [*refined.trainable_weights, refined.refine.salience]
    *found, of_salience = gradients(loss, weights)
    assert all(np.isfinite(gradient).all() for gradient in found)
    assert np.abs(of_salience).max() > 0.0


def test_more_padding_changes_nothing(refined):
    short, long = refined(X), refined({"token_ids": pad(X["token_ids"])})
    assert_close([array(long["intent"])], [array(short["intent"])], 1e-4)
    found = array(long["slots"])[:, :4][MASK]
    np.testing.assert_allclose(found, array(short["slots"])[MASK], atol=1e-4)


def test_tags_without_o_are_refused():
    with pytest.raises(ValueError, match="'O'"):
        SlotRefine(12, intents=["play"], tags=["B-a"], dim=16)


def test_layers_that_are_not_between_two_are_refused():
    with pytest.raises(ValueError, match="refine_after"):
        make(refine_after=(2,))


def test_a_saved_model_answers_alike(refined, tmp_path):
    refined.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.get_config() == refined.get_config()
    assert again.is_taught
    for name, logits in refined(X).items():
        np.testing.assert_array_equal(again(X)[name], logits)


def test_the_shared_checks(check_model):
    check_model(
        lambda: make(num_layers=1, intent_head="softmax"),
        X,
        Y,
        "assert (model.encoder.dim, model.transformer.num_layers) == (16, 1)",
    )
