"""Sines and cosines of places."""

import math

import numpy as np
from checks import array

from keras_slu.layers.position_encoding import position_encoding


def test_the_equation():
    found = array(position_encoding(np.array([0, 3, 7]), 6))
    for row, place in zip(found, (0, 3, 7), strict=True):
        angles = [place / 1e4 ** (2 * i / 6) for i in range(3)]
        expected = [*map(math.sin, angles), *map(math.cos, angles)]
        np.testing.assert_allclose(row, expected, atol=1e-6)
