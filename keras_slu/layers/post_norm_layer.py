"""What the layers of all Transformer encoders here share."""

import keras

from keras_slu.layers.add_norm import AddNorm
from keras_slu.layers.feed_forward import FeedForward


class PostNormLayer(keras.layers.Layer):
    """Attention, then a feed-forward network, each with residual and norm.

        Z = LN(x + attention(x))
        H = LN(Z + W_2 ReLU(W_1 Z + b_1) + b_2)

    A subclass hands its attention layer to `_make_parts` at the end of its
    `__init__`, and has an `_attend`.

    Args:
        dim: int. Width of the features, a multiple of `num_heads`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for `dim`. Defaults to `None`.
        dropout: float. Rate on the output of both parts. Defaults to `0.0`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        **kwargs: passed to `keras.layers.Layer`.
    """

    def __init__(
        self,
        dim,
        num_heads=8,
        inner_dim=None,
        dropout=0.0,
        attention_dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.dim = dim
        self.num_heads = num_heads
        self.inner_dim = inner_dim
        self.dropout = dropout
        self.attention_dropout = attention_dropout

    def _make_parts(self, attention, feed_forward=None, epsilon=1e-3):
        settings = {"dtype": self.dtype_policy}
        self.attention = attention
        self.feed_forward = feed_forward or FeedForward(
            self.dim, self.inner_dim, **settings
        )
        self.attention_norm, self.output_norm = (
            AddNorm(self.dropout, epsilon, name=name, **settings)
            for name in ("attention_norm", "output_norm")
        )

    def _attend(self, hidden, padding_mask, training):
        """What the attention layer makes of `hidden`, as wide."""
        raise NotImplementedError

    def _build_attention(self, input_shape):
        self.attention.build(input_shape)

    def build(self, input_shape):
        self._build_attention(input_shape)
        self.feed_forward.build(input_shape)
        self.attention_norm.build(input_shape, input_shape)
        self.output_norm.build(input_shape, input_shape)

    def call(self, hidden, padding_mask=None, training=None):
        attended = self._attend(hidden, padding_mask, training)
        hidden = self.attention_norm(hidden, attended, training=training)
        return self.output_norm(hidden, self.feed_forward(hidden), training=training)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_heads": self.num_heads,
                "inner_dim": self.inner_dim,
                "dropout": self.dropout,
                "attention_dropout": self.attention_dropout,
            }
        )
        return config
