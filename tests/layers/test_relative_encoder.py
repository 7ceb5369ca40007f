"""The wiring of the encoder; its attention has a test of its own."""

import numpy as np
import pytest
import transformer
from checks import array
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.relative_encoder import RelativeEncoder
from keras_slu.layers.relative_encoder import RelativeEncoderLayer

HIDDEN, MASK = draw(3, 5, 16), prefix_mask([5, 3, 1], 5)
SETTINGS = {
    "num_heads": 4,
    "inner_dim": 24,
    "max_distance": 3,
    "dropout": 0.25,
    "attention_dropout": 0.5,
}


def make(**kwargs):
    layer = RelativeEncoder(16, num_layers=3, **kwargs)
    layer(HIDDEN)
    draw_weights(layer)
    return layer


def reference(layer, hidden):
    attended = array(layer.attention(hidden, padding_mask=MASK))
    hidden = transformer.add_norm(layer.attention_norm, hidden, attended)
    forward = transformer.feed_forward(layer.feed_forward, hidden)
    return transformer.add_norm(layer.output_norm, hidden, forward)


@pytest.mark.parametrize("first, last", [(1, None), (1, 2), (3, 3), (4, None)])
def test_the_equations(first, last):
    encoder, expected = make(), HIDDEN
    for layer in encoder.sublayers[first - 1 : last or 3]:
        expected = reference(layer, expected)
    output = encoder(HIDDEN, padding_mask=MASK, first=first, last=last)
    np.testing.assert_allclose(array(output), expected, atol=1e-4)


def test_the_arguments_reach_the_layers():
    for layer in make(**SETTINGS).sublayers:
        assert layer.attention.num_heads == 4
        assert layer.attention.max_distance == 3
        assert layer.attention.dropout == 0.5
        assert layer.feed_forward.inner_dim == 24
        assert layer.attention_norm.dropout == layer.output_norm.dropout == 0.25


@pytest.mark.parametrize("rate", ["dropout", "attention_dropout"])
def test_dropout_acts_in_training_only(rate):
    encoder = make(**{rate: 0.5})
    usual = array(encoder(HIDDEN))
    np.testing.assert_array_equal(array(encoder(HIDDEN, training=False)), usual)
    assert np.abs(array(encoder(HIDDEN, training=True)) - usual).max() > 0.01


@pytest.mark.parametrize(
    "make", [RelativeEncoderLayer, lambda *a, **k: RelativeEncoder(*a, 2, **k)]
)
def test_the_shared_checks(check_layer, make):
    check_layer(
        lambda **kwargs: make(16, **SETTINGS, **kwargs),
        {"hidden": HIDDEN, "padding_mask": MASK},
    )


def test_no_layer_is_refused():
    with pytest.raises(ValueError, match="Received: 0"):
        RelativeEncoder(16, num_layers=0)
