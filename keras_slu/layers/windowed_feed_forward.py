"""A feed-forward network over a window of tokens (Zhang and Wang 2016)."""

import keras
from keras import ops

from keras_slu.layers.tokenwise import tokenwise


@keras.saving.register_keras_serializable(package="keras_slu")
class WindowedFeedForward(keras.layers.Layer):
    """`W_2 ReLU(W_1 [h_(t-1), h_t, h_(t+1)] + b_1) + b_2` at each token.

    Beyond the ends of the utterance the window holds zeros.

    Args:
        dim: int. Width of the hidden layer and of the output.
        window: int. Odd number of tokens seen at once. Defaults to `3`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, features)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None`. Padding counts as zeros.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> WindowedFeedForward(8)(np.ones((2, 5, 16), "float32")).shape
    TensorShape([2, 5, 8])

    Reference:
        - [Zhang and Wang, 2016](https://www.ijcai.org/Abstract/16/425)
    """

    def __init__(self, dim, window=3, **kwargs):
        super().__init__(**kwargs)
        if window < 1 or window % 2 == 0:
            raise ValueError(f"`window` must be odd and > 0. Received: {window}")
        self.dim = dim
        self.window = window
        # A dense layer over windows is a convolution; this way the windows
        # themselves, three times the features, are never made.
        self.inner = keras.layers.Conv1D(
            dim,
            window,
            padding="same",
            activation="relu",
            dtype=self.dtype_policy,
            name="inner",
        )
        self.outer = keras.layers.Dense(dim, dtype=self.dtype_policy, name="outer")

    def build(self, input_shape):
        self.inner.build(input_shape)
        self.outer.build((*input_shape[:-1], self.dim))

    def call(self, hidden, padding_mask=None):
        if padding_mask is not None:
            hidden = ops.where(padding_mask[..., None], hidden, 0.0)
        return tokenwise(self.outer, self.inner(hidden))  # (batch, time, dim)

    def get_config(self):
        return {**super().get_config(), "dim": self.dim, "window": self.window}
