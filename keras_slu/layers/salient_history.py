"""Salient history attention of SHA-LRT (Cheng et al. 2022)."""

import keras
from keras import ops

from keras_slu.layers.add_norm import AddNorm
from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.first_order_attention import FirstOrderAttention
from keras_slu.layers.history_attention import HistoryResultAttention
from keras_slu.layers.history_attention import HistoryUtteranceAttention
from keras_slu.layers.merge import Merge

HISTORIES = ("both", "utterances", "results")


class _SalientHistoryLayer(keras.layers.Layer):
    """One layer; `merge` is the layer that joins parallel attentions, or `None`."""

    def __init__(self, dim, num_heads, inner_dim, history, merge, dropout, **kwargs):
        super().__init__(**kwargs)
        settings = {"dtype": self.dtype_policy}
        self.attention = FirstOrderAttention(dim, num_heads, **settings)
        self.attention_norm = AddNorm(dropout, name="attention_norm", **settings)
        self.utterance_attention = self.result_attention = None
        if history != "results":
            self.utterance_attention = HistoryUtteranceAttention(
                dim, num_heads, dropout, **settings
            )
        if history != "utterances":
            self.result_attention = HistoryResultAttention(
                dim, num_heads, dropout, **settings
            )
        self.merge = merge
        self.feed_forward = FeedForward(dim, inner_dim, **settings)
        self.output_norm = AddNorm(dropout, name="output_norm", **settings)

    def build(self, hidden_shape, utterances_shape):
        self.attention.build(hidden_shape, hidden_shape, hidden_shape)
        self.attention_norm.build(hidden_shape, hidden_shape)
        for attention in (self.utterance_attention, self.result_attention):
            if attention is not None:
                attention.build(hidden_shape, utterances_shape)
        if self.merge is not None:
            self.merge.build(hidden_shape, hidden_shape)
        self.feed_forward.build(hidden_shape)
        self.output_norm.build(hidden_shape, hidden_shape)

    def call(self, hidden, utterances, results, padding_mask, history_mask, training):
        attended = self.attention(hidden, hidden, hidden, padding_mask=padding_mask)
        current = self.attention_norm(hidden, attended, training=training)
        masks = {"history_mask": history_mask, "training": training}
        hidden = current
        if self.utterance_attention is not None:
            hidden = self.utterance_attention(current, utterances, **masks)
        if self.result_attention is not None:
            query = hidden if self.merge is None else current
            of_results = self.result_attention(query, utterances, results, **masks)
            hidden = (
                of_results if self.merge is None else self.merge(hidden, of_results)
            )
        return self.output_norm(hidden, self.feed_forward(hidden), training=training)


@keras.saving.register_keras_serializable(package="keras_slu")
class SalientHistoryAttention(keras.layers.Layer):
    """Adds to an utterance what earlier turns and their results say of it.

    Each of the layers, the first from `H = e`:

        H^c  = LN(H + attention(H, H, H))
        H^u  = LN(H^c + attention(H^c, E^u, E^u))
        H^r  = LN(H^u + attention(H^u, E^u, E^r))
        H^DH = LN(H^r + FFN(H^r))

    In parallel (SHA-P) both history attentions start from `H^c`, and the FFN
    from `merge(H^u, H^r)`. The output is `merge(e, H^DH)`.

    The first turn, whose history is all padding or has no row, goes the same
    way: its history attentions add nothing.

    Args:
        dim: int. Width of all features, a multiple of `num_heads` and at least
            twice it.
        num_layers: int. `N`. Defaults to `1`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for `dim`. Defaults to `None`.
        parallel: bool. Whether the two history attentions run side by side.
            Defaults to `False`.
        history: str. `"both"`, or `"utterances"` or `"results"` for only one
            of the two history attentions. Defaults to `"both"`.
        max_turns: int. Gives history rows an embedding of how many turns ago
            they were said; from this number on all share one. `None` for no
            such embedding. Defaults to `None`.
        merge: str. How the output joins the input: `"sum"`, `"norm"` or
            `"concat"`, see `Merge`. Defaults to `"sum"`.
        parallel_merge: str. How parallel attentions are joined. Defaults to
            `"sum"`.
        dropout: float. Rate on the output of each part. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`, the current utterance, `e`.
        utterances: float tensor `(batch, history, dim)`, the tokens of the
            earlier utterances in one row, `E^u`.
        results: float tensor `(batch, history, dim)`, the embedded result of
            each of these tokens, `E^r`; `None` with `history="utterances"`.
        turns: int tensor `(batch, history)`, how many turns ago each of these
            tokens was said, 1 for the last turn; `None` without `max_turns`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.
        history_mask: bool tensor `(batch, history)`, true at real tokens, or
            `None` when all are real. A row may be all padding.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden, history = np.ones((2, 3, 16)), np.ones((2, 7, 16))
    >>> SalientHistoryAttention(16)(hidden, history, history).shape
    TensorShape([2, 3, 16])

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.3
    """

    def __init__(
        self,
        dim,
        num_layers=1,
        num_heads=8,
        inner_dim=None,
        parallel=False,
        history="both",
        max_turns=None,
        merge="sum",
        parallel_merge="sum",
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if history not in HISTORIES:
            raise ValueError(
                f"`history` must be one of {HISTORIES}. Received: {history!r}"
            )
        if num_layers < 1:
            raise ValueError(f"`num_layers` must be > 0. Received: {num_layers}")
        self.dim = dim
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.inner_dim = inner_dim
        self.parallel = parallel
        self.history = history
        self.max_turns = max_turns
        self.merge = merge
        self.parallel_merge = parallel_merge
        self.dropout = dropout
        settings = {"dtype": self.dtype_policy}
        self.sublayers = []
        for number in range(1, num_layers + 1):
            join = None
            if parallel and history == "both":
                join = Merge(dim, parallel_merge, **settings)
            layer = _SalientHistoryLayer(
                dim,
                num_heads,
                inner_dim,
                history,
                join,
                dropout,
                name=f"layer_{number}",
                **settings,
            )
            self.sublayers.append(layer)
        self.turn_embedding = None
        if max_turns is not None:
            self.turn_embedding = keras.layers.Embedding(
                max_turns, dim, name="turn_embedding", **settings
            )
        self.output_merge = Merge(dim, merge, **settings)

    def build(self, hidden_shape, utterances_shape):
        for layer in self.sublayers:
            layer.build(hidden_shape, utterances_shape)
        if self.turn_embedding is not None:
            self.turn_embedding.build()
        self.output_merge.build(hidden_shape, hidden_shape)

    def call(
        self,
        hidden,
        utterances,
        results=None,
        turns=None,
        padding_mask=None,
        history_mask=None,
        training=None,
    ):
        self._check(results, turns)
        if self.turn_embedding is not None:
            ages = self.turn_embedding(ops.clip(turns, 1, self.max_turns) - 1)
            utterances = utterances + ages
            results = None if results is None else results + ages
        current = hidden
        for layer in self.sublayers:
            current = layer(
                current,
                utterances,
                results,
                padding_mask=padding_mask,
                history_mask=history_mask,
                training=training,
            )
        return self.output_merge(hidden, current)

    def _check(self, results, turns):
        if self.history != "utterances" and results is None:
            raise ValueError(f"history={self.history!r} needs `results`.")
        if self.max_turns is not None and turns is None:
            raise ValueError(f"max_turns={self.max_turns} needs `turns`.")

    def compute_output_spec(self, hidden, *args, **kwargs):
        return keras.KerasTensor(hidden.shape, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_layers": self.num_layers,
                "num_heads": self.num_heads,
                "inner_dim": self.inner_dim,
                "parallel": self.parallel,
                "history": self.history,
                "max_turns": self.max_turns,
                "merge": self.merge,
                "parallel_merge": self.parallel_merge,
                "dropout": self.dropout,
            }
        )
        return config
