"""The Higher-order Attention Encoder of HAN (Chen et al. 2021)."""

import keras
from keras import ops

from keras_slu.layers.bilinear_attention import BilinearAttention
from keras_slu.layers.first_order_attention import FirstOrderAttention
from keras_slu.layers.tokenwise import tokenwise

# What is not bilinear is conventional, of the first order, and may be routed.
ROUTINGS = {"first_order": None, "capsule_dynamic": "dynamic", "capsule_em": "em"}
ATTENTIONS = ("bilinear", *ROUTINGS)


@keras.saving.register_keras_serializable(package="keras_slu")
class HigherOrderAttentionEncoder(keras.layers.Layer):
    """Layers in which intent features and slot features attend to each other.

    In layer `l`, from the features `H_I`, `H_S` of layer `l - 1`, each side's
    queries look at the other side's keys and values:

        H_I' = LN(H_I + attention(Q_I, K_S, V_S))
        H_S' = LN(H_S + attention(Q_S, K_I, V_I))

    with `Q`, `K`, `V` linear in `H`.

    Args:
        dim: int. Width of the features.
        num_layers: int. Number of layers. Defaults to `2`.
        attention: str. `"bilinear"`; `"first_order"` for the conventional
            attention of the ablations; or that with its heads routed as
            capsules, `"capsule_dynamic"` or `"capsule_em"`. Defaults to
            `"bilinear"`.
        order: str. Order of the bilinear attention, `"second"` or
            `"infinite"`. Defaults to `"infinite"`.
        alpha: float. CELU scale of the infinite order. Defaults to `1.0`.
        dropout: float. Dropout rate on each attention's output. Defaults
            to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        intent: float tensor `(batch, time, dim)`.
        slots: float tensor `(batch, time, dim)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens.
        return_attention_scores: bool. Whether to return attention too.

    Returns:
        `(intent, slots, intent_query, slots_query)`, each
        `(batch, time, dim)`; the queries are those of the last layer, which
        `DynamicFeatureFusion` needs. With `return_attention_scores`, a fifth
        item: for each layer the pair of `(batch, time, time)` tensors.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> encoder = HigherOrderAttentionEncoder(16)
    >>> intent, slots, intent_query, slots_query = encoder(hidden, hidden)
    >>> intent.shape
    TensorShape([2, 5, 16])

    Reference:
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), equation 5
    """

    def __init__(
        self,
        dim,
        num_layers=2,
        attention="bilinear",
        order="infinite",
        alpha=1.0,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if attention not in ATTENTIONS:
            raise ValueError(
                f"`attention` must be one of {ATTENTIONS}. Received: {attention!r}"
            )
        if num_layers < 1:
            raise ValueError(f"`num_layers` must be > 0. Received: {num_layers}")
        self.dim = dim
        self.num_layers = num_layers
        self.attention = attention
        self.order = order
        self.alpha = alpha
        self.dropout = dropout
        self.sublayers = [
            {side: self._side(side, layer) for side in ("intent", "slots")}
            for layer in range(num_layers)
        ]

    def _side(self, side, layer):
        """The parts that update one side's features in one layer."""
        settings = {"dtype": self.dtype_policy}

        def name(part):
            return f"{side}_{part}_{layer}"

        if self.attention == "bilinear":
            attention = BilinearAttention(
                self.dim, self.order, self.alpha, name=name("attention"), **settings
            )
        else:
            attention = FirstOrderAttention(
                self.dim,
                routing=ROUTINGS[self.attention],
                name=name("attention"),
                **settings,
            )
        # One product makes queries, keys and values of a side.
        projection = keras.layers.Dense(3 * self.dim, name=name("qkv"), **settings)
        return {
            "projection": projection,
            "attention": attention,
            "dropout": keras.layers.Dropout(self.dropout, **settings),
            "norm": keras.layers.LayerNormalization(name=name("norm"), **settings),
        }

    def build(self, intent_shape, slots_shape):
        for layer in self.sublayers:
            for parts in layer.values():
                parts["projection"].build(intent_shape)
                parts["attention"].build(intent_shape, intent_shape, intent_shape)
                parts["norm"].build(intent_shape)

    def call(
        self,
        intent,
        slots,
        padding_mask=None,
        training=None,
        return_attention_scores=False,
    ):
        maps = []
        for layer in self.sublayers:
            queries, keys, values = {}, {}, {}
            for side, hidden in (("intent", intent), ("slots", slots)):
                projected = tokenwise(layer[side]["projection"], hidden)
                queries[side], keys[side], values[side] = ops.split(
                    projected, 3, axis=-1
                )
            updated, scores = {}, {}
            for side, other, hidden in (
                ("intent", "slots", intent),
                ("slots", "intent", slots),
            ):
                parts = layer[side]
                attended, scores[side] = parts["attention"](
                    queries[side],
                    keys[other],
                    values[other],
                    padding_mask=padding_mask,
                    return_attention_scores=True,
                )
                attended = parts["dropout"](attended, training=training)
                updated[side] = parts["norm"](hidden + attended)
            intent, slots = updated["intent"], updated["slots"]
            maps.append((scores["intent"], scores["slots"]))
        result = (intent, slots, queries["intent"], queries["slots"])
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
                "dropout": self.dropout,
            }
        )
        return config
