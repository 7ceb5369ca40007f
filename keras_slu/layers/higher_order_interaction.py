"""HAN's middle: attention between the tasks, fusion, feed-forward."""

import keras
from keras import ops

from keras_slu.layers.feature_fusion import DynamicFeatureFusion
from keras_slu.layers.higher_order_encoder import HigherOrderAttentionEncoder
from keras_slu.layers.windowed_feed_forward import WindowedFeedForward

FUSIONS = ("dynamic", "shallow")
NONE = "none"


@keras.saving.register_keras_serializable(package="keras_slu")
class HigherOrderInteraction(keras.layers.Layer):
    """What HAN does between its embedder and its heads.

    `HigherOrderAttentionEncoder`, then fusion of both sides, then
    `LN(FFN(H_IS) + H_I)` and `LN(FFN(H_IS) + H_S)` with one windowed FFN.

    Args:
        dim: int. Width of the features.
        num_layers: int. Attention layers. Defaults to `2`.
        attention: str. See `HigherOrderAttentionEncoder`; or `"none"` for no
            attention, which needs shallow fusion. Defaults to `"bilinear"`.
        order: str. `"second"` or `"infinite"`. Defaults to `"infinite"`.
        alpha: float. CELU scale of the infinite order. Defaults to `1.0`.
        fusion: str. `"dynamic"`, or `"shallow"` for plain concatenation.
            Defaults to `"dynamic"`.
        merge: str. How dynamic fusion joins, `"concat"` or `"sum"`. Defaults
            to `"concat"`.
        dropout: float. Rate on each attention's output. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        intent, slots: float tensors `(batch, time, dim)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens.
        return_attention_scores: bool. Whether to return the attention too.

    Returns:
        `(intent, slots)`, each `(batch, time, dim)`; with
        `return_attention_scores` a third item, for each layer the pair of
        `(batch, time, time)` tensors.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> intent, slots = HigherOrderInteraction(16)(hidden, hidden)
    >>> slots.shape
    TensorShape([2, 5, 16])

    Reference:
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), section 2.2
    """

    def __init__(
        self,
        dim,
        num_layers=2,
        attention="bilinear",
        order="infinite",
        alpha=1.0,
        fusion="dynamic",
        merge="concat",
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if fusion not in FUSIONS:
            raise ValueError(f"`fusion` must be one of {FUSIONS}. Received: {fusion!r}")
        if attention == NONE and fusion != "shallow":
            raise ValueError(
                "Dynamic fusion needs the queries of an attention; without one use "
                f"fusion='shallow'. Received: fusion={fusion!r}"
            )
        self.dim = dim
        self.num_layers = num_layers
        self.attention = attention
        self.order = order
        self.alpha = alpha
        self.fusion = fusion
        self.merge = merge
        self.dropout = dropout
        settings = {"dtype": self.dtype_policy}
        self.encoder = None
        if attention != NONE:
            self.encoder = HigherOrderAttentionEncoder(
                dim, num_layers, attention, order, alpha, dropout, **settings
            )
        self.fuse = None
        if fusion == "dynamic":
            self.fuse = DynamicFeatureFusion(dim, merge, **settings)
        self.feed_forward = WindowedFeedForward(dim, **settings)
        self.intent_norm = keras.layers.LayerNormalization(**settings)
        self.slots_norm = keras.layers.LayerNormalization(**settings)

    def build(self, intent_shape, slots_shape):
        if self.encoder is not None:
            self.encoder.build(intent_shape, slots_shape)
        width = 2 * self.dim
        if self.fuse is not None:
            self.fuse.build(*[intent_shape] * 4)
            width = self.dim if self.merge == "sum" else width
        self.feed_forward.build((*intent_shape[:-1], width))
        self.intent_norm.build(intent_shape)
        self.slots_norm.build(slots_shape)

    def call(
        self,
        intent,
        slots,
        padding_mask=None,
        training=None,
        return_attention_scores=False,
    ):
        queries, maps = (), []
        if self.encoder is not None:
            intent, slots, *queries, maps = self.encoder(
                intent,
                slots,
                padding_mask=padding_mask,
                training=training,
                return_attention_scores=True,
            )
        if self.fuse is not None:
            fused = self.fuse(intent, slots, *queries)
        else:
            fused = ops.concatenate([intent, slots], axis=-1)
        shared = self.feed_forward(fused, padding_mask=padding_mask)
        result = self.intent_norm(shared + intent), self.slots_norm(shared + slots)
        return (*result, maps) if return_attention_scores else result

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_layers": self.num_layers,
                "attention": self.attention,
                "order": self.order,
                "alpha": self.alpha,
                "fusion": self.fusion,
                "merge": self.merge,
                "dropout": self.dropout,
            }
        )
        return config
