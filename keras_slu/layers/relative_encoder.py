"""A Transformer encoder with relative positions (Shaw et al. 2018)."""

import keras

from keras_slu.layers.post_norm_layer import PostNormLayer
from keras_slu.layers.relative_self_attention import RelativeSelfAttention


@keras.saving.register_keras_serializable(package="keras_slu")
class RelativeEncoderLayer(PostNormLayer):
    """One layer: relative self-attention, then a feed-forward network.

        Z = LN(x + attention(x))
        H = LN(Z + W_2 ReLU(W_1 Z + b_1) + b_2)

    Args:
        dim: int. Width of the features, a multiple of `num_heads`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for `dim`. Defaults to `None`.
        max_distance: int. Farthest distance that is told from others. Defaults
            to `16`.
        dropout: float. Rate on the output of both parts. Defaults to `0.0`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        routing: str or `None`. See `RelativeSelfAttention`. Defaults to `None`.
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
    >>> RelativeEncoderLayer(16)(np.ones((2, 5, 16), "float32")).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Shaw et al., 2018](https://arxiv.org/abs/1803.02155)
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.4
    """

    def __init__(
        self,
        dim,
        num_heads=8,
        inner_dim=None,
        max_distance=16,
        dropout=0.0,
        attention_dropout=0.0,
        routing=None,
        **kwargs,
    ):
        super().__init__(
            dim, num_heads, inner_dim, dropout, attention_dropout, **kwargs
        )
        self.max_distance = max_distance
        self.routing = routing
        attention = RelativeSelfAttention(
            dim,
            num_heads,
            max_distance,
            attention_dropout,
            routing,
            dtype=self.dtype_policy,
        )
        self._make_parts(attention)

    def _attend(self, hidden, padding_mask, training):
        return self.attention(hidden, padding_mask=padding_mask, training=training)

    def get_config(self):
        config = super().get_config()
        config.update({"max_distance": self.max_distance, "routing": self.routing})
        return config


@keras.saving.register_keras_serializable(package="keras_slu")
class RelativeEncoder(keras.layers.Layer):
    """A stack of `RelativeEncoderLayer`, of which a part may be run.

    Args:
        dim: int. Width of the features, a multiple of `num_heads`.
        num_layers: int. Defaults to `4`.
        num_heads, inner_dim, max_distance, dropout, attention_dropout, routing:
            see `RelativeEncoderLayer`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.
        first, last: int. Runs the layers `first` to `last`, counted from 1,
            both included; `last` is `None` for the top. With `first` above
            `last` no layer is run. Default to all.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> encoder, hidden = RelativeEncoder(16), np.ones((2, 5, 16), "float32")
    >>> middle = encoder(hidden, last=2)
    >>> bool(np.all(encoder(middle, first=3) == encoder(hidden)))
    True

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.4
    """

    def __init__(
        self,
        dim,
        num_layers=4,
        num_heads=8,
        inner_dim=None,
        max_distance=16,
        dropout=0.0,
        attention_dropout=0.0,
        routing=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if num_layers < 1:
            raise ValueError(f"`num_layers` must be > 0. Received: {num_layers}")
        self.dim = dim
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.inner_dim = inner_dim
        self.max_distance = max_distance
        self.dropout = dropout
        self.attention_dropout = attention_dropout
        self.routing = routing
        self.sublayers = [
            RelativeEncoderLayer(
                dim,
                num_heads,
                inner_dim,
                max_distance,
                dropout,
                attention_dropout,
                routing,
                dtype=self.dtype_policy,
                name=f"layer_{number}",
            )
            for number in range(1, num_layers + 1)
        ]

    def build(self, input_shape):
        for layer in self.sublayers:
            layer.build(input_shape)

    def call(self, hidden, padding_mask=None, first=1, last=None, training=None):
        for layer in self.sublayers[first - 1 : last]:
            hidden = layer(hidden, padding_mask=padding_mask, training=training)
        return hidden

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_layers": self.num_layers,
                "num_heads": self.num_heads,
                "inner_dim": self.inner_dim,
                "max_distance": self.max_distance,
                "dropout": self.dropout,
                "attention_dropout": self.attention_dropout,
                "routing": self.routing,
            }
        )
        return config
