"""History attention, whose multi-head attention has a test of its own."""

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

from keras_slu.layers.history_attention import HistoryResultAttention
from keras_slu.layers.history_attention import HistoryUtteranceAttention

HIDDEN = draw(3, 4, 16)
UTTERANCES, RESULTS = draw(3, 6, 16, seed=1), draw(3, 6, 16, seed=2)
HISTORY = {"utterances": UTTERANCES, "results": RESULTS}
MASK = prefix_mask([6, 2, 0], 6)  # the last row is a first turn
KINDS = [HistoryUtteranceAttention, HistoryResultAttention]


def make(kind, **kwargs):
    """A layer with random weights, and the history that it takes."""
    layer = kind(16, num_heads=4, **kwargs)
    history = dict(HISTORY)
    if kind is HistoryUtteranceAttention:
        del history["results"]
    layer(HIDDEN, **history)
    draw_weights(layer)
    return layer, history


@pytest.mark.parametrize("kind", KINDS)
def test_the_equations(kind):
    layer, history = make(kind)
    values = history.get("results", UTTERANCES)
    expected = np.zeros_like(HIDDEN)
    for b, length in enumerate([6, 2, 0]):
        attended = np.zeros((1, 4, 16))
        if length:
            keys = UTTERANCES[b : b + 1, :length], values[b : b + 1, :length]
            attended = array(layer.attention(HIDDEN[b : b + 1], *keys))
        expected[b] = transformer.add_norm(layer.add_norm, HIDDEN[b], attended[0])
    output = layer(HIDDEN, **history, history_mask=MASK)
    np.testing.assert_allclose(array(output), expected, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_without_rows_is_as_one_of_padding(kind):
    layer, history = make(kind)
    none = {name: rows[:, :0] for name, rows in history.items()}
    empty = np.zeros((3, 6), bool)
    np.testing.assert_allclose(
        array(layer(HIDDEN, **none)),
        array(layer(HIDDEN, **history, history_mask=empty)),
        atol=1e-6,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_no_mask_means_all_real(kind):
    layer, history = make(kind)
    np.testing.assert_array_equal(
        array(layer(HIDDEN, **history)),
        array(layer(HIDDEN, **history, history_mask=np.ones((3, 6), bool))),
    )


@needs_tensorflow
@pytest.mark.parametrize("kind", KINDS)
def test_first_turns_alone_give_no_gradient_to_the_attention(kind):
    layer, history = make(kind)
    empty = np.zeros((3, 6), bool)

    def loss():
        output = layer(HIDDEN, **history, history_mask=empty)
        return ops.sum(output * draw(3, 4, 16, seed=3))

    for gradient in gradients(loss, layer.attention.trainable_weights):
        assert not gradient.any()  # a NaN is no zero
    for gradient in gradients(loss, layer.add_norm.trainable_weights):
        assert np.isfinite(gradient).all() and gradient.any()


@pytest.mark.parametrize("kind", KINDS)
def test_dropout_acts_in_training_only(kind):
    layer, history = make(kind, dropout=0.5)
    usual = array(layer(HIDDEN, **history))
    np.testing.assert_array_equal(
        array(layer(HIDDEN, **history, training=False)), usual
    )
    assert np.abs(array(layer(HIDDEN, **history, training=True)) - usual).max() > 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_the_shared_checks(check_layer, kind):
    # The checks want as many tokens in the history as in the utterance.
    hidden = draw(3, 6, 16, seed=4)
    inputs = {"hidden": hidden, **make(kind)[1], "history_mask": MASK}
    check_layer(lambda **kwargs: kind(16, 4, **kwargs), inputs)
