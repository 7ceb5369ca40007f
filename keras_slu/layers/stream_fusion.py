"""The fusion of FFA's two streams (Wu et al. 2022)."""

import keras
from keras import ops

from keras_slu.layers.transformer_layer import TransformerLayer


@keras.saving.register_keras_serializable(package="keras_slu")
class FeatureFusion(keras.layers.Layer):
    """Joins two streams, `[C_i ; C_m]`, and runs one Transformer layer over both.

    Args:
        dim: int. Width of both streams together, a multiple of `num_heads`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for 3/2 of `dim`: three times the width of one of two equal
            streams, as the paper's 3072 is for streams of 1024. Defaults to
            `None`.
        dropout, attention_dropout: float. See `TransformerLayer`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        interaction, masked: float tensors `(batch, time, d_i)` and
            `(batch, time, d_m)`, with `d_i + d_m = dim`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> one, other = np.ones((2, 5, 16)), np.ones((2, 5, 8))
    >>> FeatureFusion(24)(one, other).shape
    TensorShape([2, 5, 24])

    Reference:
        - [Wu et al., 2022](https://arxiv.org/abs/2203.12487), section on fusion
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
        self.layer = TransformerLayer(
            dim,
            num_heads,
            inner_dim or 3 * dim // 2,
            dropout,
            attention_dropout,
            dtype=self.dtype_policy,
        )

    def build(self, interaction_shape, masked_shape):
        self.layer.build((*interaction_shape[:-1], self.dim))

    def call(self, interaction, masked, padding_mask=None, training=None):
        joined = ops.concatenate([interaction, masked], axis=-1)
        return self.layer(joined, padding_mask=padding_mask, training=training)

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
