"""The autoregressive decoder against its recursion written out."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from keras import ops

from keras_slu.layers.autoregressive_decoder import AutoregressiveDecoder

FEATURES = draw(3, 6, 5)
PREVIOUS = np.array(
    [[-1, 2, 0, 3, 1, 2], [-1, -1, 3, -1, 0, -1], [-1, -1, -1, -1, -1, -1]], "int32"
)


def make(**kwargs):
    return AutoregressiveDecoder(4, units=3, embedding_dim=2, **kwargs)


def drawn():
    decoder = make()
    decoder(FEATURES)
    draw_weights(decoder)
    return decoder


def reference(decoder, features, previous):
    """One utterance, step by step; gates are input, forget, candidate, output."""
    weights = {
        weight.path.split("/", 1)[1]: array(weight) for weight in decoder.weights
    }
    kernel = np.concatenate([weights["projection/kernel"], weights["recurrent_kernel"]])

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    hidden, cell, label = np.zeros(3), np.zeros(3), 4
    rows = []
    for x, gold in zip(features, previous, strict=True):
        embedded = weights["embeddings"][gold if gold >= 0 else label]
        gates = np.concatenate([x, embedded, hidden]) @ kernel
        i, f, g, o = np.split(gates + weights["projection/bias"], 4)
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
        rows.append(hidden @ weights["logits/kernel"] + weights["logits/bias"])
        label = rows[-1].argmax()
    return np.array(rows)


@pytest.mark.parametrize("previous", [None, PREVIOUS])
def test_the_recursion(previous):
    decoder = drawn()
    outputs = array(decoder(FEATURES, previous=previous))
    own = np.full_like(PREVIOUS, -1)
    for row, gold, output in zip(
        FEATURES, own if previous is None else previous, outputs, strict=True
    ):
        np.testing.assert_allclose(output, reference(decoder, row, gold), atol=1e-5)


def test_what_it_is_fed_matters():
    decoder = drawn()
    free, forced = array(decoder(FEATURES)), array(decoder(FEATURES, previous=PREVIOUS))
    assert not np.allclose(free[0, 1:], forced[0, 1:], atol=1e-3)
    np.testing.assert_allclose(free[2], forced[2], atol=1e-6)


@needs_tensorflow
def test_teacher_forcing_trains_the_embeddings_of_the_gold():
    decoder = drawn()
    forced = np.array([[-1, 2, 2, 2, 2, 2]], "int32")

    def loss():
        return ops.sum(ops.square(decoder(FEATURES[:1], previous=forced)))

    (gradient,) = gradients(loss, [decoder.embeddings])
    moved = np.abs(gradient).sum(axis=1) > 0
    assert moved.tolist() == [False, False, True, False, True]


def test_the_shared_checks(check_layer):
    check_layer(make, {"features": FEATURES, "previous": PREVIOUS})
