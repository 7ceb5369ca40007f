"""Dynamic feature fusion of HAN (Chen et al. 2021)."""

import keras
from keras import ops

from keras_slu.layers.tokenwise import tokenwise

MERGES = ("concat", "sum")


@keras.saving.register_keras_serializable(package="keras_slu")
class DynamicFeatureFusion(keras.layers.Layer):
    """Joins intent and slot features, each weighted by its own relevance.

        alpha_I = sigmoid(W_I [Q_I, H_I] + b_I), alpha_S likewise
        H_IS    = alpha_I * H_I (+) alpha_S * H_S

    Args:
        dim: int. Width of the features.
        merge: str. What `(+)` is, which the paper leaves open: `"concat"` or
            `"sum"`. Defaults to `"concat"`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        intent, slots: float tensors `(batch, time, dim)`.
        intent_query, slots_query: float tensors `(batch, time, dim)`, the
            queries of the attention layer that made them. Padding needs no
            mask, since tokens do not mix.

    Returns:
        float tensor `(batch, time, 2 * dim)`, or `(batch, time, dim)` for a
        sum.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> DynamicFeatureFusion(16)(hidden, hidden, hidden, hidden).shape
    TensorShape([2, 5, 32])

    Reference:
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), equation 6
    """

    def __init__(self, dim, merge="concat", **kwargs):
        super().__init__(**kwargs)
        if merge not in MERGES:
            raise ValueError(f"`merge` must be one of {MERGES}. Received: {merge!r}")
        self.dim = dim
        self.merge = merge

        def gate(name):
            return keras.layers.Dense(
                dim, activation="sigmoid", dtype=self.dtype_policy, name=name
            )

        self.intent_gate = gate("intent_gate")
        self.slots_gate = gate("slots_gate")

    def build(self, intent_shape, slots_shape, intent_query_shape, slots_query_shape):
        both = (*intent_shape[:-1], 2 * self.dim)
        self.intent_gate.build(both)
        self.slots_gate.build(both)

    def call(self, intent, slots, intent_query, slots_query):
        intent = intent * _gate(self.intent_gate, intent_query, intent)
        slots = slots * _gate(self.slots_gate, slots_query, slots)
        if self.merge == "sum":
            return intent + slots
        return ops.concatenate([intent, slots], axis=-1)

    def get_config(self):
        return {**super().get_config(), "dim": self.dim, "merge": self.merge}


def _gate(dense, query, hidden):
    return tokenwise(dense, ops.concatenate([query, hidden], axis=-1))
