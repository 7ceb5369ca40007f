"""Multi-head scaled dot-product attention, head by head."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.first_order_attention import FirstOrderAttention


def reference(layer, query, key, value, mask):
    w_q, b_q, w_k, b_k, w_v, b_v, w_o, b_o = map(np.float64, layer.get_weights())
    output = np.zeros((*query.shape[:2], layer.dim)) + b_o
    attention = np.zeros((*query.shape[:2], key.shape[1]))
    for b, head in np.ndindex(len(query), layer.num_heads):
        queries = query[b] @ w_q[:, head] + b_q[head]
        keys = key[b, mask[b]] @ w_k[:, head] + b_k[head]
        values = value[b, mask[b]] @ w_v[:, head] + b_v[head]
        scores = np.exp(queries @ keys.T / np.sqrt(queries.shape[-1]))
        scores /= scores.sum(axis=1, keepdims=True)
        output[b] += scores @ values @ w_o[head]
        attention[b, :, : mask[b].sum()] += scores / layer.num_heads
    return output, attention


@pytest.mark.parametrize("queries, keys", [(5, 5), (2, 4), (1, 1)])
@pytest.mark.parametrize("num_heads", [1, 2])
def test_the_equations(queries, keys, num_heads):
    layer = FirstOrderAttention(6, num_heads)
    inputs = (draw(3, queries, 4), draw(3, keys, 7, seed=1), draw(3, keys, 3, seed=2))
    layer(*inputs)
    draw_weights(layer)
    mask = prefix_mask([keys, max(keys - 1, 1), 1], keys)
    output, attention = layer(*inputs, padding_mask=mask, return_attention_scores=True)
    expected_output, expected_attention = reference(layer, *inputs, mask)
    np.testing.assert_allclose(array(output), expected_output, atol=1e-5)
    np.testing.assert_allclose(array(attention), expected_attention, atol=1e-6)
    only_output = array(layer(*inputs, padding_mask=mask))
    np.testing.assert_allclose(only_output, expected_output, atol=1e-5)


def test_no_mask_means_all_real():
    layer, hidden = FirstOrderAttention(8, 2), draw(2, 4, 8)
    np.testing.assert_array_equal(
        array(layer(hidden, hidden, hidden)),
        array(layer(hidden, hidden, hidden, padding_mask=np.ones((2, 4), bool))),
    )


def test_the_shared_checks(check_layer):
    inputs = {
        "query": draw(3, 5, 4),
        "key": draw(3, 5, 7, seed=1),
        "value": draw(3, 5, 3, seed=2),
        "padding_mask": prefix_mask([5, 3, 1], 5),
    }
    check_layer(lambda **kwargs: FirstOrderAttention(16, **kwargs), inputs)


def test_a_width_that_the_heads_do_not_divide_is_refused():
    with pytest.raises(ValueError, match="dim=12, num_heads=8"):
        FirstOrderAttention(12)


def test_heads_of_width_one_are_refused():
    with pytest.raises(ValueError, match="dim=8, num_heads=8"):
        FirstOrderAttention(8)
