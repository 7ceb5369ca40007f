"""The feed-forward network of a Transformer layer."""

import keras
from keras import ops

from keras_slu.layers.tokenwise import tokenwise

ACTIVATIONS = {"relu": ops.relu, "gelu": ops.gelu}


@keras.saving.register_keras_serializable(package="keras_slu")
class FeedForward(keras.layers.Layer):
    """`W_2 act(W_1 x + b_1) + b_2` at each token.

    Args:
        dim: int. Width of the output.
        inner_dim: int. Width of the hidden layer, or `None` for `dim`.
            Defaults to `None`.
        activation: str. `"relu"`, or `"gelu"` in the form of BERT, with tanh.
            Defaults to `"relu"`.
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

    def __init__(self, dim, inner_dim=None, activation="relu", **kwargs):
        super().__init__(**kwargs)
        self.dim = dim
        self.inner_dim = inner_dim or dim
        self.activation = activation
        settings = {"dtype": self.dtype_policy}
        self.inner = keras.layers.Dense(
            self.inner_dim,
            activation=ACTIVATIONS[activation],
            name="inner",
            **settings,
        )
        self.outer = keras.layers.Dense(dim, name="outer", **settings)

    def build(self, input_shape):
        self.inner.build(input_shape)
        self.outer.build((*input_shape[:-1], self.inner_dim))

    def call(self, hidden):
        return tokenwise(self.outer, tokenwise(self.inner, hidden))

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "inner_dim": self.inner_dim,
                "activation": self.activation,
            }
        )
        return config
