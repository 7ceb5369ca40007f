"""The feed-forward network of a Transformer layer."""

import keras

from keras_slu.layers.tokenwise import tokenwise


@keras.saving.register_keras_serializable(package="keras_slu")
class FeedForward(keras.layers.Layer):
    """`W_2 ReLU(W_1 x + b_1) + b_2` at each token.

    Args:
        dim: int. Width of the output.
        inner_dim: int. Width of the hidden layer, or `None` for `dim`.
            Defaults to `None`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, features)`. Padding needs no mask,
            since tokens do not mix.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> FeedForward(8, inner_dim=32)(np.ones((2, 5, 16), "float32")).shape
    TensorShape([2, 5, 8])

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), equation 2
    """

    def __init__(self, dim, inner_dim=None, **kwargs):
        super().__init__(**kwargs)
        self.dim = dim
        self.inner_dim = inner_dim or dim
        settings = {"dtype": self.dtype_policy}
        self.inner = keras.layers.Dense(
            self.inner_dim, activation="relu", name="inner", **settings
        )
        self.outer = keras.layers.Dense(dim, name="outer", **settings)

    def build(self, input_shape):
        self.inner.build(input_shape)
        self.outer.build((*input_shape[:-1], self.inner_dim))

    def call(self, hidden):
        return tokenwise(self.outer, tokenwise(self.inner, hidden))

    def get_config(self):
        config = super().get_config()
        config.update({"dim": self.dim, "inner_dim": self.inner_dim})
        return config
