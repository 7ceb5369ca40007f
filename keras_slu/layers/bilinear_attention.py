"""Bilinear attention of second and infinite order (Chen et al. 2021)."""

import keras
from keras import ops

from keras_slu.layers.masks import full_mask
from keras_slu.layers.masks import softmax_bias
from keras_slu.layers.pair_attention import pair_attention
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise

ORDERS = ("second", "infinite")


@keras.saving.register_keras_serializable(package="keras_slu")
class BilinearAttention(keras.layers.Layer):
    """Attention whose weights come from products of query and key features.

    For query `q_t` and key `k_i`, with `s` a ReLU (second order) or a CELU
    (infinite order):

        B_ti   = ReLU(W_B (s(W_k k_i) * s(W_qk q_t)))
        beta_s = softmax over i of (W_b B_ti)             contextual attention
        beta_c = sigmoid(W_e mean over i of B_ti)         channel attention
        v_t    = beta_c * sum over i of beta_s (s(W_v v_i) * s(W_qv q_t))

    `s(W_qv q_t)` does not depend on `i` and is taken out of the sum, so of the
    three `(batch, time, time, dim)` tensors of the equations the one of the
    values is never made.

    Args:
        dim: int. Width of all inner features and of the output.
        order: str, `"second"` or `"infinite"`. Defaults to `"infinite"`.
        alpha: float. Scale of the CELU's negative part. Defaults to `1.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        query: float tensor `(batch, queries, features)`.
        key: float tensor `(batch, keys, features)`.
        value: float tensor `(batch, keys, features)`.
        padding_mask: bool tensor `(batch, keys)`, true at real keys, or `None`.
            Padding has no part in the softmax or in the mean.
        return_attention_scores: bool. Whether to return `beta_s` too.

    Returns:
        float tensor `(batch, queries, dim)`, and with
        `return_attention_scores` also `(batch, queries, keys)`.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> BilinearAttention(16)(hidden, hidden, hidden).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), equations 1-4
        - [Pan et al., 2020](https://arxiv.org/abs/2003.14080)
        - [Barron, 2017](https://arxiv.org/abs/1704.07483) (CELU)
    """

    def __init__(self, dim, order="infinite", alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        if order not in ORDERS:
            raise ValueError(f"`order` must be one of {ORDERS}. Received: {order!r}")
        self.dim = dim
        self.order = order
        self.alpha = alpha

        def dense(name, units=dim):
            return keras.layers.Dense(
                units, use_bias=False, dtype=self.dtype_policy, name=name
            )

        self.key_projection = dense("key")  # W_k
        self.value_projection = dense("value")  # W_v
        self.query_projection = dense("query", 2 * dim)  # W_q^k and W_q^v
        self.pair_projection = dense("pair")  # W_B
        self.score = dense("score", 1)  # W_b
        self.excitation = dense("excitation")  # W_e

    def build(self, query_shape, key_shape, value_shape):
        self.query_projection.build(query_shape)
        self.key_projection.build(key_shape)
        self.value_projection.build(value_shape)
        self.pair_projection.build((None, self.dim))
        self.score.build((None, self.dim))
        self.excitation.build((None, None, self.dim))

    def call(self, query, key, value, padding_mask=None, return_attention_scores=False):
        mask = full_mask(key) if padding_mask is None else padding_mask
        keys = self._activate(tokenwise(self.key_projection, key))
        values = self._activate(tokenwise(self.value_projection, value))
        queries = self._activate(tokenwise(self.query_projection, query))
        queries, gate = ops.split(queries, 2, axis=-1)  # (batch, queries, dim)

        real = ops.cast(mask, self.compute_dtype)
        mean, scores = pair_attention(
            queries,
            keys,
            ops.copy(self.pair_projection.kernel),  # of a variable, a tensor
            ops.copy(self.score.kernel),
            real / ops.sum(real, axis=1, keepdims=True),
        )
        bias = softmax_bias(mask, self.compute_dtype)  # (batch, keys)
        scores = softmax(scores + ops.expand_dims(bias, 1))  # (batch, queries, keys)
        channels = ops.sigmoid(tokenwise(self.excitation, mean))

        output = channels * gate * ops.matmul(scores, values)
        return (output, scores) if return_attention_scores else output

    def _activate(self, features):
        if self.order == "second":
            return ops.relu(features)
        # CELU in terms of ELU, which is one fused operation.
        if self.alpha == 1.0:
            return ops.elu(features)
        return self.alpha * ops.elu(features / self.alpha)

    def compute_output_spec(
        self,
        query,
        key,
        value,
        padding_mask=None,
        return_attention_scores=False,
    ):
        output = keras.KerasTensor((*query.shape[:2], self.dim), self.compute_dtype)
        if not return_attention_scores:
            return output
        shape = (*query.shape[:2], key.shape[1])
        return output, keras.KerasTensor(shape, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update({"dim": self.dim, "order": self.order, "alpha": self.alpha})
        return config
