"""Ways to make one sequence of features of two."""

import keras
from keras import ops

from keras_slu.layers.tokenwise import tokenwise

MERGES = ("sum", "norm", "concat")


@keras.saving.register_keras_serializable(package="keras_slu")
class Merge(keras.layers.Layer):
    """Merges two features of a token into one of the same width.

    `"sum"` is `x + y`, `"norm"` is `LN(x + y)`, `"concat"` is `W [x, y] + b`.

    Args:
        dim: int. Width of the features.
        how: str. `"sum"`, `"norm"` or `"concat"`. Defaults to `"sum"`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        one, other: float tensors `(batch, time, dim)`. Padding needs no mask,
            since tokens do not mix.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> Merge(16, "concat")(hidden, hidden).shape
    TensorShape([2, 5, 16])
    """

    def __init__(self, dim, how="sum", **kwargs):
        super().__init__(**kwargs)
        if how not in MERGES:
            raise ValueError(f"A merge must be one of {MERGES}. Received: {how!r}")
        self.dim = dim
        self.how = how
        settings = {"dtype": self.dtype_policy}
        if how == "norm":
            self.norm = keras.layers.LayerNormalization(**settings)
        if how == "concat":
            self.join = keras.layers.Dense(dim, name="join", **settings)

    def build(self, one_shape, other_shape):
        if self.how == "norm":
            self.norm.build(one_shape)
        if self.how == "concat":
            self.join.build((*one_shape[:-1], 2 * self.dim))

    def call(self, one, other):
        if self.how == "concat":
            return tokenwise(self.join, ops.concatenate([one, other], axis=-1))
        total = one + other
        return self.norm(total) if self.how == "norm" else total

    def get_config(self):
        return {**super().get_config(), "dim": self.dim, "how": self.how}
