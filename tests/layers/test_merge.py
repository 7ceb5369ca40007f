"""The merges against what they are said to be."""

import numpy as np
import pytest
import transformer
from checks import array
from checks import draw
from checks import draw_weights

from keras_slu.layers.merge import MERGES
from keras_slu.layers.merge import Merge

ONE, OTHER = draw(2, 5, 6), draw(2, 5, 6, seed=1)


@pytest.mark.parametrize("how", MERGES)
def test_the_equations(how):
    layer = Merge(6, how)
    layer(ONE, OTHER)
    draw_weights(layer)
    expected = transformer.merge(layer, ONE, OTHER)
    np.testing.assert_allclose(array(layer(ONE, OTHER)), expected, atol=1e-5)


@pytest.mark.parametrize("how", MERGES)
def test_the_shared_checks(check_layer, how):
    check_layer(lambda **kwargs: Merge(6, how, **kwargs), {"one": ONE, "other": OTHER})


def test_an_unknown_merge_is_refused():
    with pytest.raises(ValueError, match="Received: 'product'"):
        Merge(6, "product")
