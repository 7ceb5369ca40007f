"""Label attention against its equations."""

import numpy as np
import pytest
from checks import array
from checks import draw

from keras_slu.layers.label_attention import LabelAttention

HIDDEN, LABELS = draw(3, 5, 6), draw(4, 6, seed=1)


@pytest.mark.parametrize("labels", [4, 1])
@pytest.mark.parametrize("residual", [True, False])
def test_the_equations(residual, labels):
    scores = np.exp(np.float64(HIDDEN) @ LABELS[:labels].T)
    scores /= scores.sum(axis=-1, keepdims=True)
    expected = scores @ LABELS[:labels] + (HIDDEN if residual else 0.0)
    layer = LabelAttention(residual)
    output, attention = layer(HIDDEN, LABELS[:labels], return_attention_scores=True)
    np.testing.assert_allclose(array(output), expected, atol=1e-5)
    np.testing.assert_allclose(array(attention), scores, atol=1e-5)
    assert layer.weights == []


@pytest.mark.parametrize("residual", [True, False])
def test_the_shared_checks(check_layer, residual):
    check_layer(
        lambda **kwargs: LabelAttention(residual, **kwargs),
        {"hidden": HIDDEN, "labels": LABELS},
        timeless=("labels",),
    )
