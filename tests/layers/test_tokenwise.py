import keras
import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights

from keras_slu.layers.tokenwise import tokenwise


@pytest.mark.parametrize("shape", [(2, 5, 4), (2, 1, 4), (1, 3, 1)])
def test_each_token_goes_through_the_layer(shape):
    dense, hidden = keras.layers.Dense(3, activation="tanh"), draw(*shape)
    dense.build(shape)
    draw_weights(dense)
    kernel, bias = map(array, dense.weights)
    output = array(tokenwise(dense, hidden))
    np.testing.assert_allclose(output, np.tanh(hidden @ kernel + bias), atol=1e-6)


def test_unknown_lengths_stay_unknown():
    inputs = keras.Input((None, 4))
    assert tokenwise(keras.layers.Dense(3), inputs).shape[-1] == 3
