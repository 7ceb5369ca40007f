"""Dynamic routing between capsules (Sabour et al. 2017)."""

import keras
from keras import ops

from keras_slu.layers.routing_axes import softmax_over_outputs
from keras_slu.layers.routing_axes import to_back
from keras_slu.layers.routing_axes import to_front

TINY = 1e-7  # under a root: its slope at a zero vector stays finite


@keras.saving.register_keras_serializable(package="keras_slu")
class DynamicRouting(keras.layers.Layer):
    """Routes votes to output capsules by their agreement.

    For the vote `u_ij` of input capsule `i` for output capsule `j`, with all
    `b_ij` 0 at first, in each iteration:

        c_ij = softmax over j of b_ij
        s_j  = sum over i of c_ij u_ij
        v_j  = |s_j|^2 / (1 + |s_j|^2)  s_j / |s_j|
        b_ij = b_ij + u_ij . v_j

    The length of `v_j`, below 1, says how much its votes agree. Votes of zero
    give a zero capsule and finite gradients. All arithmetic is in float32 under
    any dtype policy, or in float64 when that is the compute dtype.

    Args:
        iterations: int. Defaults to `3`.
        stop_gradient: bool. Whether gradients flow through the last iteration
            only. Defaults to `False`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        votes: float tensor `(..., inputs, outputs, width)`. Leading axes do not
            mix, so padding needs no mask.

    Returns:
        float tensor `(..., outputs, width)`.

    Example:

    >>> import numpy as np
    >>> DynamicRouting()(np.ones((2, 5, 8, 4, 16), "float32")).shape
    TensorShape([2, 5, 4, 16])

    Reference:
        - [Sabour et al., 2017](https://arxiv.org/abs/1710.09829), procedure 1
    """

    def __init__(self, iterations=3, stop_gradient=False, **kwargs):
        super().__init__(autocast=False, **kwargs)
        if iterations < 1:
            raise ValueError(f"`iterations` must be > 0. Received: {iterations}")
        self.iterations = iterations
        self.stop_gradient = stop_gradient
        self.float_dtype = "float64" if self.compute_dtype == "float64" else "float32"

    def call(self, votes):
        votes = to_front(ops.cast(votes, self.float_dtype), 3)
        agreement = 0.0
        shares = 1.0 / votes.shape[1]
        for _ in range(self.iterations - 1):
            capsules = _gather(votes, shares)
            agreement = agreement + ops.sum(votes * capsules, axis=2)
            shares = softmax_over_outputs(agreement)[:, :, None]
        if self.stop_gradient and self.iterations > 1:
            shares = ops.stop_gradient(shares)
        capsules = to_back(_gather(votes, shares), 2)
        return ops.cast(capsules, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {"iterations": self.iterations, "stop_gradient": self.stop_gradient}
        )
        return config


def _gather(votes, shares):
    """`v_j` of votes `(inputs, outputs, width, ...)`, `(outputs, width, ...)`."""
    return _squash(ops.sum(shares * votes, axis=0))


def _squash(vectors):
    square = ops.sum(ops.square(vectors), axis=1, keepdims=True)
    return square / (1.0 + square) / ops.sqrt(square + TINY) * vectors
