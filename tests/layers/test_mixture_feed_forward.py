"""A mixture of experts against its equation, expert by expert."""

import numpy as np
import pytest
import skills
from checks import array
from checks import draw
from checks import draw_weights

from keras_slu.layers.mixture_feed_forward import MixtureFeedForward

HIDDEN = draw(2, 5, 6)


@pytest.mark.parametrize("top_k", [1, 2, 4])
def test_the_equation(top_k):
    layer = MixtureFeedForward(4, top_k, 6, 9)
    layer(HIDDEN)
    draw_weights(layer)
    scores = np.exp(HIDDEN @ array(layer.gate.kernel))
    probabilities = scores / scores.sum(axis=-1, keepdims=True)
    expected = np.zeros_like(HIDDEN)
    for row, place in np.ndindex(2, 5):
        of_token = probabilities[row, place]
        picked = np.argsort(-of_token)[:top_k]
        for expert in picked:
            share = of_token[expert] / of_token[picked].sum()
            output = skills.feed_forward(layer.experts[expert], HIDDEN[row, place])
            expected[row, place] += share * output
    np.testing.assert_allclose(array(layer(HIDDEN)), expected, atol=1e-5)


@pytest.mark.parametrize("top_k", [0, 5])
def test_too_few_and_too_many_are_refused(top_k):
    with pytest.raises(ValueError, match=f"top_k={top_k}, num_experts=4"):
        MixtureFeedForward(4, top_k, 6, 9)


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: MixtureFeedForward(3, 2, 6, 9, **kwargs), {"hidden": HIDDEN}
    )
