"""An embedder that is blind to what follows."""

import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.causal_embedder import CausalEmbedder

IDS = np.array([[4, 7, 2, 9, 3], [5, 6, 8, 0, 0]], "int32")


def make(**kwargs):
    layer = CausalEmbedder(12, embedding_dim=4, dim=6, **kwargs)
    layer(IDS)
    draw_weights(layer)
    return layer


@pytest.mark.parametrize("static", [{}, {"static_dim": 3, "tuned_words": 5}])
def test_a_token_sees_those_before_it_and_no_other(static):
    layer = make(**static)
    changed = IDS.copy()
    changed[0, 2] = 11
    before, after = arrays([layer(IDS), layer(changed)])
    np.testing.assert_array_equal(after[0, :2], before[0, :2])
    assert (np.abs(after[0, 2:] - before[0, 2:]).max(axis=-1) > 1e-3).all()


@pytest.mark.parametrize("rate", ["dropout", "embedding_dropout"])
def test_dropout_acts_in_training_only(rate):
    layer = make(**{rate: 0.5})
    usual = array(layer(IDS))
    np.testing.assert_array_equal(array(layer(IDS, training=False)), usual)
    assert np.abs(array(layer(IDS, training=True)) - usual).max() > 0.01


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: CausalEmbedder(12, 4, 6, **kwargs),
        {"token_ids": IDS, "padding_mask": prefix_mask([5, 3], 5)},
    )
