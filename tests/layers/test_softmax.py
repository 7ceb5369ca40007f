import numpy as np
import pytest
from checks import array
from checks import draw

from keras_slu.layers.softmax import softmax


@pytest.mark.parametrize("shape", [(4,), (2, 3), (2, 3, 5)])
def test_softmax_of_the_last_axis(shape):
    scores = draw(*shape)
    expected = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    np.testing.assert_allclose(array(softmax(scores)), expected, atol=1e-6)


def test_an_axis_of_one_entry_is_one_without_a_warning():  # warnings are errors
    output = array(softmax(draw(2, 3, 1).astype("float16")))
    assert output.dtype == "float16"
    np.testing.assert_array_equal(output, np.ones((2, 3, 1)))
