"""Positions as sines and cosines (Vaswani et al. 2017)."""

import math

from keras import ops


def position_encoding(places, dim):
    """Gives each place a vector: sines in the first half, cosines in the second.

    Args:
        places: int tensor `(time,)`, places from 0.
        dim: int. Width of the vectors, even.

    Returns:
        float32 tensor `(time, dim)`.

    Example:

    >>> import numpy as np
    >>> position_encoding(np.array([0, 1]), 4).shape
    TensorShape([2, 4])

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.5
    """
    half = dim // 2
    rates = ops.exp(ops.arange(half, dtype="float32") * (-math.log(1e4) / half))
    angles = ops.cast(places, "float32")[:, None] * rates
    return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=-1)
