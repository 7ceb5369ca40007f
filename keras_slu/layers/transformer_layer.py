"""Transformer layers: plain, with heads that talk, and with a view to the left."""

import keras

from keras_slu.layers.multi_head_self_attention import MultiHeadSelfAttention
from keras_slu.layers.post_norm_layer import PostNormLayer


@keras.saving.register_keras_serializable(package="keras_slu")
class TransformerLayer(PostNormLayer):
    """One encoder layer: self-attention, then a feed-forward network.

        Z = LN(x + attention(x))
        H = LN(Z + W_2 ReLU(W_1 Z + b_1) + b_2)

    Args:
        dim: int. Width of the features, a multiple of `num_heads`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for `dim`. Defaults to `None`.
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
    >>> TransformerLayer(16)(np.ones((2, 5, 16), "float32")).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3
    """

    mixes_heads = False
    is_causal = False

    def __init__(
        self,
        dim,
        num_heads=8,
        inner_dim=None,
        dropout=0.0,
        attention_dropout=0.0,
        **kwargs,
    ):
        super().__init__(
            dim, num_heads, inner_dim, dropout, attention_dropout, **kwargs
        )
        attention = MultiHeadSelfAttention(
            dim,
            num_heads,
            self.mixes_heads,
            attention_dropout,
            dtype=self.dtype_policy,
        )
        self._make_parts(attention)

    def _attend(self, hidden, padding_mask, training):
        return self.attention(
            hidden,
            padding_mask=padding_mask,
            causal=self.is_causal,
            training=training,
        )


@keras.saving.register_keras_serializable(package="keras_slu")
class InteractionSelfAttention(TransformerLayer):
    """ISA: a Transformer layer whose heads share what they found.

    Before the softmax, each head adds a learned mix of all heads' scores to
    its own; see `MultiHeadSelfAttention` with `mixes_heads`. Arguments, call
    arguments and returns are those of `TransformerLayer`.

    Example:

    >>> import numpy as np
    >>> InteractionSelfAttention(16)(np.ones((2, 5, 16), "float32")).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Wu et al., 2022](https://arxiv.org/abs/2203.12487), equations 1 and 2
    """

    mixes_heads = True


@keras.saving.register_keras_serializable(package="keras_slu")
class MaskedSelfAttention(TransformerLayer):
    """MSA: a Transformer layer in which a token sees those up to itself only.

    Arguments, call arguments and returns are those of `TransformerLayer`.

    Example:

    >>> import numpy as np
    >>> MaskedSelfAttention(16)(np.ones((2, 5, 16), "float32")).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Wu et al., 2022](https://arxiv.org/abs/2203.12487), section on MSA
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.2.3
    """

    is_causal = True
