"""One layer of a Transformer encoder, with capsule routing as an option."""

import keras

from keras_slu.layers.attention_parts import make_attention
from keras_slu.layers.masks import full_mask
from keras_slu.layers.post_norm_layer import PostNormLayer


@keras.saving.register_keras_serializable(package="keras_slu")
class TransformerEncoderLayer(PostNormLayer):
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
        super().__init__(
            dim, num_heads, inner_dim, dropout, attention_dropout, **kwargs
        )
        self.routing = routing
        self.capsules = dict(capsules or {})
        attention = make_attention(
            dim,
            num_heads,
            routing,
            self.capsules,
            attention_dropout,
            dtype=self.dtype_policy,
        )
        self._make_parts(attention)

    def _build_attention(self, input_shape):
        self.attention.build(input_shape, input_shape)  # of queries, of values

    def _attend(self, hidden, padding_mask, training):
        mask = full_mask(hidden) if padding_mask is None else padding_mask
        return self.attention(
            hidden, hidden, attention_mask=mask[:, None], training=training
        )

    def get_config(self):
        config = super().get_config()
        config.update({"routing": self.routing, "capsules": self.capsules})
        return config
