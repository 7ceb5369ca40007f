"""LRM against its equations, token by token."""

import numpy as np
import pytest
import transformer
from checks import array
from checks import draw
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from checks import prefix_mask
from keras import ops

from keras_slu.layers.layer_refine import LayerRefine
from keras_slu.layers.layer_refine import with_sentence
from keras_slu.layers.merge import MERGES

LENGTHS = [4, 2, 1]
MASK = prefix_mask([1 + length for length in LENGTHS], 5)


def distributions(*shape, seed):
    weights = np.exp(draw(*shape, seed=seed))
    return weights / weights.sum(axis=-1, keepdims=True)


INPUTS = {
    "hidden": draw(3, 5, 6),
    "intent": distributions(3, 2, seed=1),
    "slots": distributions(3, 4, 3, seed=2),
    "padding_mask": MASK,
}


def make(merge="sum"):
    layer = LayerRefine(6, num_intents=2, num_tags=3, merge=merge)
    layer(**INPUTS)
    draw_weights(layer)
    return layer


@pytest.mark.parametrize("merge", MERGES)
def test_the_equations(merge):
    layer = make(merge)
    e_intent, e_slot, v = map(
        array, (layer.intent_embeddings, layer.slot_embeddings, layer.salience)
    )
    output = array(layer(**INPUTS))
    for b, length in enumerate(LENGTHS):
        of_intent = INPUTS["intent"][b] @ e_intent
        of_slots = INPUTS["slots"][b, :length] @ e_slot
        weights = np.exp(of_slots @ v[0])
        average = np.average(of_slots, axis=0, weights=weights)
        results = of_intent + np.stack([average, *of_slots])
        hidden = INPUTS["hidden"][b, : 1 + length]
        expected = transformer.merge(layer.join, hidden, results)
        np.testing.assert_allclose(output[b, : 1 + length], expected, atol=1e-5)


def test_no_mask_means_all_real():
    layer = make()
    inputs = {**INPUTS, "padding_mask": np.ones((3, 5), bool)}
    expected = array(layer(**inputs))
    np.testing.assert_array_equal(
        array(layer(**{**inputs, "padding_mask": None})), expected
    )


@pytest.mark.parametrize("merge", MERGES)
def test_the_shared_checks(check_layer, merge):
    check_layer(
        lambda **kwargs: LayerRefine(6, 2, 3, merge, **kwargs),
        INPUTS,
        timeless=("intent",),
    )


@needs_tensorflow
def test_the_preliminary_answers_are_trained():
    """The gradient goes through the distributions into the heads' weights."""
    import keras

    intent_head = keras.layers.Dense(2, activation="softmax")
    slot_head = keras.layers.Dense(3, activation="softmax")
    layer, hidden = make(), INPUTS["hidden"]

    def loss():
        intent, slots = intent_head(hidden[:, 0]), slot_head(with_sentence(hidden))
        return ops.sum(layer(hidden, intent, slots, padding_mask=MASK) ** 2)

    loss()
    kernels = [intent_head.kernel, slot_head.kernel]
    for gradient in gradients(loss, kernels):
        assert np.isfinite(gradient).all() and np.abs(gradient).max() > 1e-3


def test_the_sentence_stands_beside_each_token():
    hidden = INPUTS["hidden"]
    joined = array(with_sentence(hidden))
    assert joined.shape == (3, 4, 12)
    for b, j in np.ndindex(3, 4):
        expected = [*hidden[b, 0], *hidden[b, 1 + j]]
        np.testing.assert_array_equal(joined[b, j], expected)
