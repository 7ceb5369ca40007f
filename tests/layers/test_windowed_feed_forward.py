"""The windowed feed-forward network, token by token."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.windowed_feed_forward import WindowedFeedForward


def reference(layer, hidden, mask):
    w_1, b_1, w_2, b_2 = map(array, layer.weights)
    w_1 = w_1.reshape(-1, layer.dim)  # of the whole window
    output = np.zeros((*hidden.shape[:2], layer.dim))
    for b, t in np.ndindex(hidden.shape[:2]):
        seen = []
        for i in range(t - layer.window // 2, t + layer.window // 2 + 1):
            inside = 0 <= i < hidden.shape[1] and mask[b, i]
            seen.append(hidden[b, i] if inside else np.zeros_like(hidden[b, 0]))
        inner = np.maximum(np.concatenate(seen) @ w_1 + b_1, 0)
        output[b, t] = inner @ w_2 + b_2
    return output


@pytest.mark.parametrize("window", [1, 3, 5])
@pytest.mark.parametrize("time", [1, 2, 5])
def test_the_equations(window, time):
    layer, hidden = WindowedFeedForward(6, window), draw(3, time, 4)
    layer(hidden)
    draw_weights(layer)
    mask = prefix_mask([time, max(time - 2, 1), 1], time)
    everything = np.ones_like(mask)
    for given, meant in ((mask, mask), (everything, everything), (None, everything)):
        output = array(layer(hidden, padding_mask=given))
        np.testing.assert_allclose(output, reference(layer, hidden, meant), atol=1e-5)


def test_the_shared_checks(check_layer):
    inputs = {"hidden": draw(3, 5, 4), "padding_mask": prefix_mask([5, 3, 1], 5)}
    check_layer(lambda **kwargs: WindowedFeedForward(6, **kwargs), inputs)


@pytest.mark.parametrize("window", [0, 2, -1])
def test_a_window_without_a_middle_is_refused(window):
    with pytest.raises(ValueError, match=f"Received: {window}"):
        WindowedFeedForward(6, window)
