"""Attention that knows how far apart two tokens are (Shaw et al. 2018)."""

import keras
from keras import ops

from keras_slu.layers.capsule_refinement import CapsuleRefinement
from keras_slu.layers.masks import softmax_bias
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise


@keras.saving.register_keras_serializable(package="keras_slu")
class RelativeSelfAttention(keras.layers.Layer):
    """Multi-head self-attention with relative positions in keys and values.

    For tokens `p`, `q`, in each head of width `d`:

        s_pq  = (x_p W^Q) . (x_q W^K + a^K_pq) / sqrt(d)
        z_p   = sum over q of softmax(s_p)_q (x_q W^V + a^V_pq)
        a_pq  = w_clip(q - p, -l, l)

    and the output is `[z of head 1, z of head 2, ...] W^O`. The heads share the
    `2 l + 1` vectors `w^K` and as many `w^V`, `l` being the greatest distance.
    No `(batch, heads, time, time, d)` tensor is made. With `routing`, capsules
    refine the heads before `W^O`.

    Args:
        dim: int. Width of the output, a multiple of `num_heads`.
        num_heads: int. Defaults to `8`.
        max_distance: int. `l`; tokens farther apart count as `l` apart.
            Defaults to `16`.
        dropout: float. Rate on the attention weights. Defaults to `0.0`.
        routing: `"dynamic"` or `"em"`, see `CapsuleRefinement`; or `None`.
            Defaults to `None`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, features)`.
        memory: float tensor `(batch, keys, features)` to attend to instead,
            whose row `i` stands beside row `i` of `hidden`; or `None`, for
            `hidden` itself.
        padding_mask: bool tensor `(batch, keys)`, true at real tokens of what
            is attended to, or `None` when all are real.
        causal: bool. Whether token `p` sees the tokens up to `p` only.
            Defaults to `False`.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> RelativeSelfAttention(16)(hidden).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Shaw et al., 2018](https://arxiv.org/abs/1803.02155), equations 3-5
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.4
    """

    def __init__(
        self,
        dim,
        num_heads=8,
        max_distance=16,
        dropout=0.0,
        routing=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if dim % num_heads:
            raise ValueError(
                "`dim` must be a multiple of `num_heads`. "
                f"Received: dim={dim}, num_heads={num_heads}"
            )
        if max_distance < 1:
            raise ValueError(f"`max_distance` must be > 0. Received: {max_distance}")
        self.dim = dim
        self.num_heads = num_heads
        self.max_distance = max_distance
        self.dropout = dropout
        self.routing = routing

        def dense(name, units=dim):
            return keras.layers.Dense(
                units, use_bias=False, dtype=self.dtype_policy, name=name
            )

        self.query_projection = dense("query")  # W^Q
        self.key_value_projection = dense("key_value", 2 * dim)  # W^K and W^V
        self.output_projection = dense("output")  # W^O
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)
        self.refinement = None
        if routing is not None:
            self.refinement = CapsuleRefinement(
                num_heads, dim // num_heads, routing, dtype=self.dtype_policy
            )

    def build(self, hidden_shape, memory_shape=None):
        self.query_projection.build(hidden_shape)
        self.key_value_projection.build(memory_shape or hidden_shape)
        self.output_projection.build((None, self.dim))
        if self.refinement is not None:
            self.refinement.build((None, None, self.dim))

        def table(name):
            return self.add_weight(
                shape=(2 * self.max_distance + 1, self.dim // self.num_heads),
                initializer="glorot_uniform",
                name=name,
            )

        self.key_positions = table("key_positions")  # w^K
        self.value_positions = table("value_positions")  # w^V

    def call(self, hidden, memory=None, padding_mask=None, causal=False, training=None):
        memory = hidden if memory is None else memory
        queries = self._heads(tokenwise(self.query_projection, hidden))
        keys, values = ops.split(
            tokenwise(self.key_value_projection, memory), 2, axis=-1
        )
        keys, values = self._heads(keys), self._heads(values)
        queries = queries * (self.dim // self.num_heads) ** -0.5
        distances = _distances(ops.shape(hidden)[1], ops.shape(memory)[1])

        scores = ops.matmul(queries, ops.transpose(keys, (0, 1, 3, 2)))
        positions = self._positions(self.key_positions, distances)
        scores = scores + ops.einsum("bhpd,pqd->bhpq", queries, positions)
        mask = self._mask(padding_mask, distances, causal)
        if mask is not None:
            scores = scores + softmax_bias(mask, self.compute_dtype)
        weights = self.drop(softmax(scores), training=training)

        positions = self._positions(self.value_positions, distances)
        heads = ops.matmul(weights, values)
        heads = heads + ops.einsum("bhpq,pqd->bhpd", weights, positions)
        batch, time = ops.shape(hidden)[:2]
        joined = ops.reshape(
            ops.transpose(heads, (0, 2, 1, 3)), (batch, time, self.dim)
        )
        if self.refinement is not None:
            joined = self.refinement(joined)
        return tokenwise(self.output_projection, joined)

    def _heads(self, features):
        """From `(batch, time, dim)` to `(batch, heads, time, dim / heads)`."""
        batch, time = ops.shape(features)[:2]
        width = self.dim // self.num_heads
        features = ops.reshape(features, (batch, time, self.num_heads, width))
        return ops.transpose(features, (0, 2, 1, 3))

    def _positions(self, table, distances):
        """`a_pq`, `(queries, keys, dim / heads)`."""
        clipped = ops.clip(distances, -self.max_distance, self.max_distance)
        rows = ops.take(table, clipped + self.max_distance, axis=0)
        return ops.cast(rows, self.compute_dtype)

    def _mask(self, padding_mask, distances, causal):
        """What may be seen, of a shape that fits `(batch, heads, queries, keys)`."""
        seen = None if padding_mask is None else padding_mask[:, None, None, :]
        if not causal:
            return seen
        before = (distances <= 0)[None, None]
        return before if seen is None else ops.logical_and(seen, before)

    def compute_output_spec(
        self, hidden, memory=None, padding_mask=None, causal=False, training=None
    ):
        return keras.KerasTensor((*hidden.shape[:2], self.dim), self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_heads": self.num_heads,
                "max_distance": self.max_distance,
                "dropout": self.dropout,
                "routing": self.routing,
            }
        )
        return config


def _distances(queries, keys):
    """`q - p` for each query `p` and key `q`, int32 `(queries, keys)`."""
    places = ops.arange(queries, dtype="int32")[:, None]
    return ops.arange(keys, dtype="int32")[None, :] - places
