"""The fusion of two streams."""

import numpy as np
from checks import array
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.stream_fusion import FeatureFusion

ONE, OTHER = draw(3, 5, 8), draw(3, 5, 4, seed=1)
MASK = prefix_mask([5, 3, 1], 5)


def test_the_layer_runs_over_both_streams_side_by_side():
    layer = FeatureFusion(12, num_heads=4)
    layer(ONE, OTHER)
    draw_weights(layer)
    joined = np.concatenate([ONE, OTHER], axis=-1)
    expected = array(layer.layer(joined, padding_mask=MASK))
    output = array(layer(ONE, OTHER, padding_mask=MASK))
    np.testing.assert_array_equal(output, expected)
    assert layer.layer.feed_forward.inner_dim == 18


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: FeatureFusion(12, 4, 20, 0.2, 0.1, **kwargs),
        {"interaction": ONE, "masked": OTHER, "padding_mask": MASK},
    )
