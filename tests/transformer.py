"""Parts of a Transformer layer in NumPy, given the weights of ours.

The attention layers have references of their own, and are called as they are.
"""

import numpy as np
from checks import array


def layer_norm(x, gamma, beta):
    x = (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(
        x.var(axis=-1, keepdims=True) + 1e-3
    )
    return x * gamma + beta


def add_norm(layer, hidden, update):
    return layer_norm(hidden + update, *map(array, layer.norm.weights))


def feed_forward(layer, hidden):
    w_1, b_1, w_2, b_2 = map(array, layer.weights)
    return np.maximum(hidden @ w_1 + b_1, 0.0) @ w_2 + b_2


def merge(layer, one, other):
    weights = list(map(array, layer.weights))
    if layer.how == "concat":
        return np.concatenate([one, other], axis=-1) @ weights[0] + weights[1]
    if layer.how == "norm":
        return layer_norm(one + other, *weights)
    return one + other
