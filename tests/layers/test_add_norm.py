"""The residual connection against its equation."""

import numpy as np
import transformer
from checks import array
from checks import draw
from checks import draw_weights

from keras_slu.layers.add_norm import AddNorm

INPUTS = {"hidden": draw(2, 5, 6), "update": draw(2, 5, 6, seed=1)}


def test_the_equation():
    layer = AddNorm()
    layer(**INPUTS)
    draw_weights(layer)
    expected = transformer.add_norm(layer, **INPUTS)
    np.testing.assert_allclose(array(layer(**INPUTS)), expected, atol=1e-5)


def test_dropout_takes_from_what_is_added_in_training_only():
    layer = AddNorm(dropout=0.999999)  # all but surely everything
    nothing = np.zeros_like(INPUTS["update"])
    alone = array(layer(INPUTS["hidden"], nothing))
    np.testing.assert_allclose(array(layer(**INPUTS, training=True)), alone, atol=1e-6)
    assert np.abs(array(layer(**INPUTS)) - alone).max() > 0.1


def test_the_shared_checks(check_layer):
    check_layer(lambda **kwargs: AddNorm(**kwargs), INPUTS)
