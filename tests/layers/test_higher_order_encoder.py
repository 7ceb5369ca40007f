"""The wiring of the encoder; its attention layers have tests of their own."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.higher_order_encoder import HigherOrderAttentionEncoder

MASK = prefix_mask([5, 3, 1], 5)


def layer_norm(x, gamma, beta):
    x = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(
        x.var(axis=-1, keepdims=True) + 1e-3
    )
    return x * gamma + beta


def make(**kwargs):
    """An encoder with random weights, and its inputs."""
    encoder = HigherOrderAttentionEncoder(16, **kwargs)
    inputs = draw(3, 5, 16), draw(3, 5, 16, seed=1)
    encoder(*inputs)
    draw_weights(encoder)
    return encoder, inputs


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"num_layers": 1, "order": "second"},
        {"num_layers": 3, "attention": "first_order"},
    ],
)
def test_equation_5(settings):
    encoder, (intent, slots) = make(**settings)
    hidden = {"intent": intent, "slots": slots}
    expected_maps = []
    for parts in encoder.sublayers:
        projected = {}
        for side, features in hidden.items():
            kernel, bias = map(array, parts[side]["projection"].weights)
            projected[side] = np.split(features @ kernel + bias, 3, axis=-1)
        new, maps = {}, []
        # Both sides start from the same, the last layer's, features.
        for side, other in (("intent", "slots"), ("slots", "intent")):
            query, (_, key, value) = projected[side][0], projected[other]
            attended, scores = parts[side]["attention"](
                query, key, value, padding_mask=MASK, return_attention_scores=True
            )
            norm = map(array, parts[side]["norm"].weights)
            new[side] = layer_norm(hidden[side] + array(attended), *norm)
            maps.append(scores)
        hidden = new
        expected_maps.append(maps)

    *outputs, maps = encoder(
        intent, slots, padding_mask=MASK, return_attention_scores=True
    )
    expected = [*hidden.values(), projected["intent"][0], projected["slots"][0]]
    for output, wanted in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(array(output), wanted, atol=1e-4)
    assert len(maps) == encoder.num_layers
    for layer_maps, wanted in zip(maps, expected_maps, strict=True):
        for scores, wanted_scores in zip(layer_maps, wanted, strict=True):
            np.testing.assert_allclose(scores, wanted_scores, atol=1e-5)


def test_no_two_attentions_share_weights():
    encoder, _ = make(num_layers=2)
    # A projection has 2, an attention 6 and a norm 2; for 2 sides in 2 layers.
    assert len(encoder.weights) == 2 * 2 * (2 + 6 + 2)


def test_order_and_alpha_reach_the_attention():
    encoder, _ = make(order="second", alpha=1.3)
    for layer in encoder.sublayers:
        for parts in layer.values():
            assert parts["attention"].order == "second"
            assert parts["attention"].alpha == 1.3


def test_dropout_acts_in_training_only():
    encoder, inputs = make(dropout=0.5)
    usual = array(encoder(*inputs)[0])
    np.testing.assert_array_equal(array(encoder(*inputs, training=False)[0]), usual)
    assert np.abs(array(encoder(*inputs, training=True)[0]) - usual).max() > 0.01


@pytest.mark.parametrize("attention", ["bilinear", "first_order"])
def test_the_shared_checks(check_layer, attention):
    inputs = {
        "intent": draw(3, 5, 16),
        "slots": draw(3, 5, 16, seed=1),
        "padding_mask": MASK,
    }
    check_layer(
        lambda **kwargs: HigherOrderAttentionEncoder(
            16, attention=attention, alpha=1.3, **kwargs
        ),
        inputs,
    )


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="Received: 'linear'"):
        HigherOrderAttentionEncoder(16, attention="linear")
    with pytest.raises(ValueError, match="Received: 0"):
        HigherOrderAttentionEncoder(16, num_layers=0)
