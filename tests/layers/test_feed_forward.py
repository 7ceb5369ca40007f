"""The feed-forward network against its equation."""

import numpy as np
import pytest
import transformer
from checks import array
from checks import draw
from checks import draw_weights

from keras_slu.layers.feed_forward import FeedForward


@pytest.mark.parametrize("inner_dim", [None, 9])
def test_the_equation(inner_dim):
    layer, hidden = FeedForward(6, inner_dim), draw(2, 5, 4)
    layer(hidden)
    draw_weights(layer)
    assert layer.weights[0].shape == (4, inner_dim or 6)
    expected = transformer.feed_forward(layer, hidden)
    np.testing.assert_allclose(array(layer(hidden)), expected, atol=1e-5)


def test_the_shared_checks(check_layer):
    check_layer(lambda **kwargs: FeedForward(6, 9, **kwargs), {"hidden": draw(2, 5, 4)})
