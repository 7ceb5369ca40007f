"""Dynamic feature fusion against equation 6."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights

from keras_slu.layers.feature_fusion import DynamicFeatureFusion

NAMES = ("intent", "slots", "intent_query", "slots_query")
INPUTS = {name: draw(3, 5, 6, seed=seed) for seed, name in enumerate(NAMES)}


@pytest.mark.parametrize("merge", ["concat", "sum"])
def test_equation_6(merge):
    layer = DynamicFeatureFusion(6, merge)
    layer(**INPUTS)
    draw_weights(layer)

    def weighted(side, dense):
        kernel, bias = map(array, dense.weights)
        both = np.concatenate([INPUTS[f"{side}_query"], INPUTS[side]], axis=-1)
        return INPUTS[side] / (1 + np.exp(-(both @ kernel + bias)))

    intent = weighted("intent", layer.intent_gate)
    slots = weighted("slots", layer.slots_gate)
    expected = intent + slots
    if merge == "concat":
        expected = np.concatenate([intent, slots], axis=-1)
    np.testing.assert_allclose(array(layer(**INPUTS)), expected, atol=1e-5)


@pytest.mark.parametrize("merge", ["concat", "sum"])
def test_the_shared_checks(check_layer, merge):
    check_layer(lambda **kwargs: DynamicFeatureFusion(6, merge, **kwargs), INPUTS)


def test_an_unknown_merge_is_refused():
    with pytest.raises(ValueError, match="Received: 'product'"):
        DynamicFeatureFusion(6, "product")
