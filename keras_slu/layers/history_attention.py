"""Attention of an utterance to the utterances before it and their results."""

import keras
from keras import ops

from keras_slu.layers.add_norm import AddNorm
from keras_slu.layers.first_order_attention import FirstOrderAttention
from keras_slu.layers.masks import full_mask


class _HistoryAttention(keras.layers.Layer):
    """`LN(H + attention(H, keys, values))`; nothing is seen where none is real."""

    def __init__(self, dim, num_heads=8, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        self.dim = dim
        self.num_heads = num_heads
        self.dropout = dropout
        settings = {"dtype": self.dtype_policy}
        self.attention = FirstOrderAttention(dim, num_heads, **settings)
        self.add_norm = AddNorm(dropout, **settings)

    def build(self, hidden_shape, utterances_shape):
        self.attention.build(hidden_shape, utterances_shape, utterances_shape)
        self.add_norm.build(hidden_shape, hidden_shape)

    def _attend(self, hidden, keys, values, history_mask, training):
        mask = full_mask(keys) if history_mask is None else history_mask
        attended = self.attention(hidden, keys, values, padding_mask=mask)
        # With nothing to see, attention would spread over the padding.
        seen = ops.any(mask, axis=1)[:, None, None]
        attended = ops.where(seen, attended, ops.cast(0.0, attended.dtype))
        return self.add_norm(hidden, attended, training=training)

    def get_config(self):
        config = super().get_config()
        config.update(
            {"dim": self.dim, "num_heads": self.num_heads, "dropout": self.dropout}
        )
        return config


@keras.saving.register_keras_serializable(package="keras_slu")
class HistoryUtteranceAttention(_HistoryAttention):
    """Brings what was said before into the current utterance.

    `H^u = LN(H^c + attention(H^c, E^u, E^u))`, with multi-head attention. An
    utterance without history gets `LN(H^c)`.

    Args:
        dim: int. Width of the features, a multiple of `num_heads` and at least
            twice it.
        num_heads: int. Defaults to `8`.
        dropout: float. Rate on the attention's output. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`, the current utterance,
            `H^c`. Its padding needs no mask.
        utterances: float tensor `(batch, history, dim)`, the tokens of all
            utterances before it in one row, `E^u`. `history` may be 0.
        history_mask: bool tensor `(batch, history)`, true at real tokens, or
            `None` when all are real. A row may be all padding.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden, utterances = np.ones((2, 3, 16)), np.ones((2, 7, 16))
    >>> HistoryUtteranceAttention(16)(hidden, utterances).shape
    TensorShape([2, 3, 16])

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.3
    """

    def call(self, hidden, utterances, history_mask=None, training=None):
        return self._attend(hidden, utterances, utterances, history_mask, training)


@keras.saving.register_keras_serializable(package="keras_slu")
class HistoryResultAttention(_HistoryAttention):
    """Brings the results of earlier turns into the current utterance.

    `H^r = LN(H^u + attention(H^u, E^u, E^r))`: row `i` of `E^r` is what was
    found for row `i` of `E^u`, and comes in as far as that row resembles the
    current utterance. An utterance without history gets `LN(H^u)`.

    Args:
        dim, num_heads, dropout, **kwargs: as `HistoryUtteranceAttention`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`, the current utterance,
            `H^u`, or `H^c` when both attentions run side by side.
        utterances: float tensor `(batch, history, dim)`, the tokens of all
            utterances before it in one row, `E^u`. `history` may be 0.
        results: float tensor `(batch, history, dim)`, the embedded result of
            each of these tokens, `E^r`.
        history_mask: bool tensor `(batch, history)`, true at real tokens, or
            `None` when all are real. A row may be all padding.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden, history = np.ones((2, 3, 16)), np.ones((2, 7, 16))
    >>> HistoryResultAttention(16)(hidden, history, history).shape
    TensorShape([2, 3, 16])

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.3
    """

    def call(self, hidden, utterances, results, history_mask=None, training=None):
        return self._attend(hidden, utterances, results, history_mask, training)
