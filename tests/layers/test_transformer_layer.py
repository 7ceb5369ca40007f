"""The wiring of the Transformer layers; their attention has a test of its own."""

import numpy as np
import pytest
import transformer
from checks import array
from checks import arrays
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.transformer_layer import InteractionSelfAttention
from keras_slu.layers.transformer_layer import MaskedSelfAttention
from keras_slu.layers.transformer_layer import TransformerLayer

HIDDEN, MASK = draw(3, 5, 8), prefix_mask([5, 3, 1], 5)
KINDS = [TransformerLayer, InteractionSelfAttention, MaskedSelfAttention]


def make(kind, **kwargs):
    layer = kind(8, num_heads=4, **kwargs)
    layer(HIDDEN)
    draw_weights(layer)
    return layer


@pytest.mark.parametrize("kind", KINDS)
def test_the_equations(kind):
    layer = make(kind, inner_dim=12)
    causal = kind is MaskedSelfAttention
    attended = array(layer.attention(HIDDEN, padding_mask=MASK, causal=causal))
    hidden = transformer.add_norm(layer.attention_norm, HIDDEN, attended)
    forward = transformer.feed_forward(layer.feed_forward, hidden)
    expected = transformer.add_norm(layer.output_norm, hidden, forward)
    output = array(layer(HIDDEN, padding_mask=MASK))
    np.testing.assert_allclose(output, expected, atol=1e-4)
    assert layer.feed_forward.inner_dim == 12


def test_only_the_interaction_mixes_heads():
    has_mix = [hasattr(make(kind).attention, "mix") for kind in KINDS]
    assert has_mix == [False, True, False]


def test_only_the_masked_layer_is_blind_to_what_follows():
    changed = HIDDEN.copy()
    changed[:, 3:] += 1.0
    for kind, is_blind in zip(KINDS, (False, False, True), strict=True):
        layer = make(kind)
        before, after = arrays([layer(HIDDEN), layer(changed)])
        assert np.allclose(before[:, :3], after[:, :3], atol=1e-6) == is_blind


@pytest.mark.parametrize("rate", ["dropout", "attention_dropout"])
def test_dropout_acts_in_training_only(rate):
    layer = make(InteractionSelfAttention, **{rate: 0.5})
    usual, off, on = arrays([layer(HIDDEN, training=t) for t in (None, False, True)])
    np.testing.assert_array_equal(off, usual)
    assert np.abs(on - usual).max() > 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_the_shared_checks(check_layer, kind):
    check_layer(
        lambda **kwargs: kind(8, 4, inner_dim=12, dropout=0.2, **kwargs),
        {"hidden": HIDDEN, "padding_mask": MASK},
    )
