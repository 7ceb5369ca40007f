"""One layer of a Transformer encoder, with capsule routing as an option."""

import keras

from keras_slu.layers.add_norm import AddNorm
from keras_slu.layers.attention_parts import make_attention
from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.masks import full_mask


@keras.saving.register_keras_serializable(package="keras_slu")
class TransformerEncoderLayer(keras.layers.Layer):
    """Self-attention, then a feed-forward network, each with residual and norm.

        Z = LN(x + attention(x))
        H = LN(Z + W_2 ReLU(W_1 Z + b_1) + b_2)

    Args:
        dim: int. Width of the features, a multiple of `num_heads` and at least
            twice it.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for `dim`. Defaults to `None`.
        routing: `"dynamic"`, `"em"`, or `None` for plain attention. Defaults
            to `None`.
        capsules: dict. More arguments of `CapsuleMultiHeadAttention`. Defaults
            to none.
        dropout: float. Rate on the output of both parts. Defaults to `0.0`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> layer = TransformerEncoderLayer(32, routing="em")
    >>> layer(np.ones((2, 5, 32), "float32")).shape
    TensorShape([2, 5, 32])

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188), section 3
    """

    def __init__(
        self,
        dim,
        num_heads=8,
        inner_dim=None,
        routing=None,
        capsules=None,
        dropout=0.0,
        attention_dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.dim = dim
        self.num_heads = num_heads
        self.inner_dim = inner_dim
        self.routing = routing
        self.capsules = dict(capsules or {})
        self.dropout = dropout
        self.attention_dropout = attention_dropout
        settings = {"dtype": self.dtype_policy}
        self.attention = make_attention(
            dim, num_heads, routing, self.capsules, attention_dropout, **settings
        )
        self.feed_forward = FeedForward(dim, inner_dim, **settings)
        self.attention_norm = AddNorm(dropout, name="attention_norm", **settings)
        self.output_norm = AddNorm(dropout, name="output_norm", **settings)

    def build(self, input_shape):
        self.attention.build(input_shape, input_shape)
        self.feed_forward.build(input_shape)
        self.attention_norm.build(input_shape, input_shape)
        self.output_norm.build(input_shape, input_shape)

    def call(self, hidden, padding_mask=None, training=None):
        mask = full_mask(hidden) if padding_mask is None else padding_mask
        attended = self.attention(
            hidden, hidden, attention_mask=mask[:, None], training=training
        )
        hidden = self.attention_norm(hidden, attended, training=training)
        return self.output_norm(hidden, self.feed_forward(hidden), training=training)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_heads": self.num_heads,
                "inner_dim": self.inner_dim,
                "routing": self.routing,
                "capsules": self.capsules,
                "dropout": self.dropout,
                "attention_dropout": self.attention_dropout,
            }
        )
        return config
