"""The wiring of HAN's middle; its parts have tests of their own."""

import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.higher_order_interaction import HigherOrderInteraction

MASK = prefix_mask([5, 3, 1], 5)
SWITCHES = [
    {},
    {"merge": "sum"},
    {"fusion": "shallow"},
    {"attention": "first_order", "num_layers": 1},
    {"attention": "none", "fusion": "shallow"},
]


def make(**kwargs):
    """A layer with random weights, and its inputs."""
    layer = HigherOrderInteraction(16, **kwargs)
    inputs = draw(3, 5, 16), draw(3, 5, 16, seed=1)
    layer(*inputs)
    draw_weights(layer)
    return layer, inputs


def layer_norm(x, gamma, beta):
    x = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(
        x.var(axis=-1, keepdims=True) + 1e-3
    )
    return x * gamma + beta


@pytest.mark.parametrize("settings", SWITCHES)
def test_the_equations(settings):
    layer, (intent, slots) = make(**settings)
    outputs = arrays(layer(intent, slots, padding_mask=MASK))
    queries = []
    if settings.get("attention") != "none":
        intent, slots, *queries = arrays(
            layer.encoder(intent, slots, padding_mask=MASK)
        )
    if settings.get("fusion") == "shallow":
        fused = np.concatenate([intent, slots], axis=-1)
    else:
        fused = array(layer.fuse(intent, slots, *queries))
        assert fused.shape[-1] == (16 if settings.get("merge") == "sum" else 32)
    shared = array(layer.feed_forward(fused, padding_mask=MASK))
    for output, hidden, norm in zip(
        outputs, (intent, slots), (layer.intent_norm, layer.slots_norm), strict=True
    ):
        expected = layer_norm(shared + hidden, *map(array, norm.weights))
        np.testing.assert_allclose(output, expected, atol=1e-4)


@pytest.mark.parametrize("settings", SWITCHES)
def test_the_shared_checks(check_layer, settings):
    inputs = {
        "intent": draw(3, 5, 16),
        "slots": draw(3, 5, 16, seed=1),
        "padding_mask": MASK,
    }
    check_layer(
        lambda **kwargs: HigherOrderInteraction(16, **settings, **kwargs), inputs
    )


def test_attention_is_given_on_request():
    layer, inputs = make(num_layers=3)
    *outputs, maps = layer(*inputs, padding_mask=MASK, return_attention_scores=True)
    for output, usual in zip(
        arrays(outputs), arrays(layer(*inputs, padding_mask=MASK)), strict=True
    ):
        np.testing.assert_array_equal(output, usual)
    assert len(maps) == 3
    for scores in arrays(maps):
        assert scores.shape == (3, 5, 5)
        np.testing.assert_allclose(scores.sum(axis=-1), 1.0, atol=1e-5)
    layer, inputs = make(attention="none", fusion="shallow")
    assert layer(*inputs, return_attention_scores=True)[2] == []


def test_the_arguments_reach_the_encoder():
    layer, _ = make(num_layers=3, order="second", alpha=1.3, dropout=0.25)
    for name in ("num_layers", "order", "alpha", "dropout"):
        assert getattr(layer.encoder, name) == getattr(layer, name)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="Received: 'deep'"):
        HigherOrderInteraction(16, fusion="deep")
    with pytest.raises(ValueError, match="fusion='shallow'. Received: fusion='dyn"):
        HigherOrderInteraction(16, attention="none")
    with pytest.raises(ValueError, match="Received: 'linear'"):
        HigherOrderInteraction(16, attention="linear")
