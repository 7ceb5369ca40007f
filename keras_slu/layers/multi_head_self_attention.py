"""Multi-head self-attention whose heads may talk to each other."""

import keras
from keras import ops

from keras_slu.layers.masks import softmax_bias
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise


@keras.saving.register_keras_serializable(package="keras_slu")
class MultiHeadSelfAttention(keras.layers.Layer):
    """Scaled dot-product self-attention, with or without mixed heads.

        J_k    = (x W^Q_k) (x W^K_k)^T
        Jhat_k = J_k + sum over m of P_km J_m            with `mixes_heads`
        head_k = softmax(Jhat_k / sqrt(dim / num_heads)) (x W^V_k)

    and the output is `[head_1, head_2, ...] W + B`. Padding, and with `causal`
    what comes later, is masked after the mix, so that no head sees it by way
    of another. `P` starts small, with a standard deviation of
    `0.1 / sqrt(dim)`.

    Args:
        dim: int. Width of the output, a multiple of `num_heads`.
        num_heads: int. Defaults to `8`.
        mixes_heads: bool. Whether there is a `P`. Defaults to `False`.
        dropout: float. Rate on the attention weights. Defaults to `0.0`.
        use_bias: bool. Whether queries, keys and values have a bias. Defaults
            to `False`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, features)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.
        causal: bool. Whether a token sees those up to itself only. Defaults
            to `False`.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> MultiHeadSelfAttention(16, mixes_heads=True)(hidden).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Wu et al., 2022](https://arxiv.org/abs/2203.12487), equations 1 and 2
        - [Shazeer et al., 2020](https://arxiv.org/abs/2003.02436)
    """

    def __init__(
        self,
        dim,
        num_heads=8,
        mixes_heads=False,
        dropout=0.0,
        use_bias=False,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if dim % num_heads:
            raise ValueError(
                "`dim` must be a multiple of `num_heads`. "
                f"Received: dim={dim}, num_heads={num_heads}"
            )
        self.dim = dim
        self.num_heads = num_heads
        self.mixes_heads = mixes_heads
        self.dropout = dropout
        self.use_bias = use_bias
        settings = {"dtype": self.dtype_policy}
        self.projection = keras.layers.Dense(  # W^Q, W^K and W^V
            3 * dim, use_bias=use_bias, name="projection", **settings
        )
        self.output_projection = keras.layers.Dense(dim, name="output", **settings)
        self.drop = keras.layers.Dropout(dropout, **settings)

    def build(self, input_shape):
        self.projection.build(input_shape)
        self.output_projection.build((None, self.dim))
        if self.mixes_heads:
            self.mix = self.add_weight(  # P
                shape=(self.num_heads, self.num_heads),
                initializer=keras.initializers.RandomNormal(
                    stddev=0.1 * self.dim**-0.5
                ),
                name="mix",
            )

    def call(self, hidden, padding_mask=None, causal=False, training=None):
        projected = ops.split(tokenwise(self.projection, hidden), 3, axis=-1)
        queries, keys, values = (self._heads(features) for features in projected)
        queries = queries * (self.dim // self.num_heads) ** -0.5
        scores = ops.matmul(queries, ops.transpose(keys, (0, 1, 3, 2)))
        if self.mixes_heads:
            scores = scores + ops.einsum("km,bmij->bkij", self.mix, scores)
        mask = _seen(hidden, padding_mask, causal)
        if mask is not None:
            scores = scores + softmax_bias(mask, self.compute_dtype)
        weights = self.drop(softmax(scores), training=training)
        heads = ops.transpose(ops.matmul(weights, values), (0, 2, 1, 3))
        batch, time = ops.shape(hidden)[:2]
        joined = ops.reshape(heads, (batch, time, self.dim))
        return tokenwise(self.output_projection, joined)

    def _heads(self, features):
        """From `(batch, time, dim)` to `(batch, heads, time, dim / heads)`."""
        batch, time = ops.shape(features)[:2]
        width = self.dim // self.num_heads
        features = ops.reshape(features, (batch, time, self.num_heads, width))
        return ops.transpose(features, (0, 2, 1, 3))

    def compute_output_spec(
        self, hidden, padding_mask=None, causal=False, training=None
    ):
        return keras.KerasTensor((*hidden.shape[:2], self.dim), self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_heads": self.num_heads,
                "mixes_heads": self.mixes_heads,
                "dropout": self.dropout,
                "use_bias": self.use_bias,
            }
        )
        return config


def _seen(hidden, padding_mask, causal):
    """What may be seen, of a shape that fits `(batch, heads, queries, keys)`."""
    seen = None if padding_mask is None else padding_mask[:, None, None, :]
    if not causal:
        return seen
    place = ops.arange(ops.shape(hidden)[1], dtype="int32")
    before = (place[None, :] <= place[:, None])[None, None]
    return before if seen is None else ops.logical_and(seen, before)
