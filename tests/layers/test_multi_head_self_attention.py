"""Self-attention head by head, with the mix of FFA's equation 1."""

import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.multi_head_self_attention import MultiHeadSelfAttention

HIDDEN, MASK = draw(3, 5, 8), prefix_mask([5, 3, 1], 5)


def make(**kwargs):
    layer = MultiHeadSelfAttention(8, num_heads=4, **kwargs)
    layer(HIDDEN)
    draw_weights(layer)
    return layer


def reference(layer, hidden, mask, causal=False):
    """One row, one token and one head at a time."""
    weights = {weight.name: np.float64(array(weight)) for weight in layer.weights}
    w_qkv, w_o, b_o = (
        np.float64(array(w))
        for w in (layer.projection.kernel, *layer.output_projection.weights)
    )
    mix = weights.get("mix", np.zeros((layer.num_heads, layer.num_heads)))
    width = layer.dim // layer.num_heads
    joined = np.zeros((*hidden.shape[:2], layer.dim))
    for b in range(len(hidden)):
        real = hidden[b][mask[b]]
        queries, keys, values = np.split(real @ w_qkv, 3, axis=1)
        parts = [slice(h * width, (h + 1) * width) for h in range(layer.num_heads)]
        scores = np.stack([queries[:, p] @ keys[:, p].T for p in parts])
        scores = scores + np.tensordot(mix, scores, axes=1)
        for h, i in np.ndindex(layer.num_heads, len(real)):
            seen = i + 1 if causal else len(real)
            weight = np.exp(scores[h, i, :seen] / np.sqrt(width))
            joined[b, i, parts[h]] = weight / weight.sum() @ values[:seen, parts[h]]
    return joined @ w_o + b_o


@pytest.mark.parametrize("mixes_heads", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_the_equations(mixes_heads, causal):
    layer = make(mixes_heads=mixes_heads)
    output = array(layer(HIDDEN, padding_mask=MASK, causal=causal))
    expected = reference(layer, HIDDEN, MASK, causal)
    np.testing.assert_allclose(output[MASK], expected[MASK], atol=1e-5)


def test_the_mix_starts_as_the_paper_says():
    layer = MultiHeadSelfAttention(256, num_heads=64, mixes_heads=True)
    layer.build((None, None, 256))
    mix = array(layer.mix)
    assert mix.std() == pytest.approx(0.1 / 16, rel=0.1)
    assert abs(mix.mean()) < 0.001


def test_dropout_acts_in_training_only():
    layer = make(dropout=0.5)
    usual, off, on = arrays([layer(HIDDEN, training=t) for t in (None, False, True)])
    np.testing.assert_array_equal(off, usual)
    assert np.abs(on - usual).max() > 0.01


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: MultiHeadSelfAttention(8, 4, mixes_heads=True, **kwargs),
        {"hidden": HIDDEN, "padding_mask": MASK},
    )


def test_a_width_that_heads_cannot_share_is_refused():
    with pytest.raises(ValueError, match="dim=12, num_heads=8"):
        MultiHeadSelfAttention(12)
