"""Bilinear attention against the paper's equations, written out."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.bilinear_attention import BilinearAttention


def reference(layer, query, key, value, mask):
    """Equations 1 to 4 pair by pair, with none of the factors taken out."""
    weights = {w.path.split("/")[-2]: np.float64(array(w)) for w in layer.weights}
    w_qk, w_qv = np.split(weights["query"], 2, axis=1)

    def s(x):
        if layer.order == "second":
            return np.maximum(x, 0)
        negative = layer.alpha * (np.exp(np.minimum(x, 0) / layer.alpha) - 1)
        return np.maximum(x, 0) + negative

    output = np.zeros((*query.shape[:2], layer.dim))
    attention = np.zeros((*query.shape[:2], key.shape[1]))
    for b, t in np.ndindex(query.shape[:2]):
        real = np.flatnonzero(mask[b])
        q = np.float64(query[b, t])
        pairs = [s(key[b, i] @ weights["key"]) * s(q @ w_qk) for i in real]
        pairs = [np.maximum(pair @ weights["pair"], 0) for pair in pairs]
        scores = np.exp([float((pair @ weights["score"])[0]) for pair in pairs])
        scores /= scores.sum()
        channels = 1 / (1 + np.exp(-np.mean(pairs, axis=0) @ weights["excitation"]))
        values = [s(value[b, i] @ weights["value"]) * s(q @ w_qv) for i in real]
        output[b, t] = channels * sum(
            a * v for a, v in zip(scores, values, strict=True)
        )
        attention[b, t, real] = scores
    return output, attention


def make(queries=5, keys=5, **kwargs):
    """A layer with random weights, and arguments of different widths."""
    layer = BilinearAttention(6, **kwargs)
    inputs = (draw(3, queries, 4), draw(3, keys, 7, seed=1), draw(3, keys, 3, seed=2))
    layer(*inputs)
    draw_weights(layer)
    return layer, inputs


@pytest.mark.parametrize("order", ["second", "infinite"])
@pytest.mark.parametrize("alpha", [1.0, 1.3])
@pytest.mark.parametrize("queries, keys", [(5, 5), (2, 4), (4, 1), (1, 1)])
def test_the_equations(order, alpha, queries, keys):
    layer, inputs = make(queries, keys, order=order, alpha=alpha)
    mask = prefix_mask([keys, max(keys - 1, 1), 1], keys)
    output, attention = layer(*inputs, padding_mask=mask, return_attention_scores=True)
    expected_output, expected_attention = reference(layer, *inputs, mask)
    np.testing.assert_allclose(array(output), expected_output, atol=1e-5)
    np.testing.assert_allclose(array(attention), expected_attention, atol=1e-6)
    np.testing.assert_allclose(array(attention).sum(axis=-1), 1.0, atol=1e-6)
    assert not array(attention)[~np.broadcast_to(mask[:, None], attention.shape)].any()


def test_the_orders_differ_by_default_the_infinite_one():
    assert BilinearAttention(6).order == "infinite"
    layer, inputs = make()
    second, _ = make(order="second")
    assert np.abs(array(layer(*inputs)) - array(second(*inputs))).max() > 0.01


def test_no_mask_means_all_real():
    layer, inputs = make()
    np.testing.assert_array_equal(
        array(layer(*inputs)),
        array(layer(*inputs, padding_mask=np.ones((3, 5), bool))),
    )


@pytest.mark.parametrize("order", ["second", "infinite"])
def test_the_shared_checks(check_layer, order):
    inputs = {
        "query": draw(3, 5, 4),
        "key": draw(3, 5, 7, seed=1),
        "value": draw(3, 5, 3, seed=2),
        "padding_mask": prefix_mask([5, 3, 1], 5),
    }
    check_layer(
        lambda **kwargs: BilinearAttention(6, order=order, alpha=1.3, **kwargs), inputs
    )


def test_an_unknown_order_is_refused():
    with pytest.raises(ValueError, match="Received: 'third'"):
        BilinearAttention(6, order="third")


def test_a_batch_of_one_is_as_in_a_larger_batch():
    layer = BilinearAttention(4)
    hidden = draw(2, 5, 4)
    layer.build(*[hidden.shape] * 3)
    draw_weights(layer)
    both = array(layer(hidden, hidden, hidden))
    one = array(layer(hidden[:1], hidden[:1], hidden[:1]))
    np.testing.assert_allclose(one, both[:1], atol=1e-6)
