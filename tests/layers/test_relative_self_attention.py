"""Relative attention, head by head and pair by pair."""

import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import draw
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from checks import prefix_mask

from keras_slu.layers.relative_self_attention import RelativeSelfAttention

MASK = prefix_mask([5, 3, 1], 5)


def make(hidden, memory=None, **kwargs):
    layer = RelativeSelfAttention(6, num_heads=2, max_distance=2, **kwargs)
    layer(hidden, memory)
    draw_weights(layer)
    return layer


def reference(layer, hidden, memory, mask, causal=False):
    a_k, a_v, w_q, w_kv, w_o = map(np.float64, layer.get_weights())
    w_k, w_v = np.split(w_kv, 2, axis=1)
    width, far = layer.dim // layer.num_heads, layer.max_distance
    joined = np.zeros((*hidden.shape[:2], layer.dim))
    for b, p, head in np.ndindex(*hidden.shape[:2], layer.num_heads):
        part = slice(head * width, (head + 1) * width)
        query = hidden[b, p] @ w_q[:, part]
        scores, values = [], []
        for q in np.flatnonzero(mask[b]):
            if causal and q > p:
                continue
            row = max(-far, min(far, q - p)) + far
            key = memory[b, q] @ w_k[:, part] + a_k[row]
            scores.append(np.exp(query @ key / np.sqrt(width)))
            values.append(memory[b, q] @ w_v[:, part] + a_v[row])
        joined[b, p, part] = np.average(values, axis=0, weights=scores)
    return joined @ w_o


@pytest.mark.parametrize("causal", [False, True])
def test_the_equations(causal):
    hidden = draw(3, 5, 4)
    layer = make(hidden)
    output = layer(hidden, padding_mask=MASK, causal=causal)
    expected = reference(layer, hidden, hidden, MASK, causal)
    np.testing.assert_allclose(array(output), expected, atol=1e-5)


def test_another_sequence_and_one_token():
    hidden, memory = draw(2, 1, 4), draw(2, 4, 7, seed=1)
    layer, mask = make(hidden, memory), prefix_mask([4, 1], 4)
    expected = reference(layer, hidden, memory, mask)
    output = layer(hidden, memory, padding_mask=mask)
    np.testing.assert_allclose(array(output), expected, atol=1e-5)
    expected = reference(layer, hidden, memory[:, :1], np.ones((2, 1), bool))
    output = layer(hidden, memory[:, :1])
    np.testing.assert_allclose(array(output), expected, atol=1e-5)


def test_no_mask_means_all_real():
    hidden = draw(3, 5, 4)
    layer = make(hidden)
    for causal in (False, True):
        np.testing.assert_array_equal(
            array(layer(hidden, causal=causal)),
            array(layer(hidden, padding_mask=np.ones((3, 5), bool), causal=causal)),
        )


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: RelativeSelfAttention(8, 2, max_distance=2, **kwargs),
        {"hidden": draw(3, 5, 4), "padding_mask": MASK},
    )


@needs_tensorflow
def test_the_gradients_of_the_tables():
    """By finite differences in float64: each row gathers many pairs."""
    hidden, upstream = draw(1, 5, 4), draw(1, 5, 6, seed=1)
    layer = make(hidden, dtype="float64")
    tables = [layer.key_positions, layer.value_positions]

    def loss():
        return (layer(hidden) * upstream).numpy().sum()

    import tensorflow as tf

    found = gradients(lambda: tf.reduce_sum(layer(hidden) * upstream), tables)
    for table, gradient in zip(tables, found, strict=True):
        before = array(table)
        for place in np.ndindex(*before.shape):
            step = np.zeros_like(before)
            step[place] = 1e-5
            table.assign(before + step)
            above = loss()
            table.assign(before - step)
            np.testing.assert_allclose(
                (above - loss()) / 2e-5, gradient[place], atol=1e-8
            )
            table.assign(before)


def test_dropout_acts_in_training_only():
    hidden = draw(3, 5, 4)
    layer = make(hidden, dropout=0.5)
    usual, off, on = arrays([layer(hidden, training=t) for t in (None, False, True)])
    np.testing.assert_array_equal(off, usual)
    assert np.abs(on - usual).max() > 0.01


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="dim=12, num_heads=8"):
        RelativeSelfAttention(12)
    with pytest.raises(ValueError, match="Received: 0"):
        RelativeSelfAttention(8, max_distance=0)
