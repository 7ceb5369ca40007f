"""The conventional attention that bilinear attention replaces."""

import keras
from keras import ops

from keras_slu.layers.attention_parts import make_attention
from keras_slu.layers.masks import full_mask


@keras.saving.register_keras_serializable(package="keras_slu")
class FirstOrderAttention(keras.layers.Layer):
    """Scaled dot-product attention behind `BilinearAttention`'s interface.

    Args:
        dim: int. Width of the output, a multiple of `num_heads` and at least
            twice it.
        num_heads: int. Defaults to `8`.
        routing: `"dynamic"` or `"em"`, how the heads are routed as capsules, see
            `CapsuleMultiHeadAttention`; or `None`. Defaults to `None`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        query: float tensor `(batch, queries, features)`.
        key: float tensor `(batch, keys, features)`.
        value: float tensor `(batch, keys, features)`.
        padding_mask: bool tensor `(batch, keys)`, true at real keys, or `None`.
        return_attention_scores: bool. Whether to return the attention, mean
            over the heads, too.

    Returns:
        float tensor `(batch, queries, dim)`, and with
        `return_attention_scores` also `(batch, queries, keys)`.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> FirstOrderAttention(16)(hidden, hidden, hidden).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.2
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188), section 3
    """

    def __init__(self, dim, num_heads=8, routing=None, **kwargs):
        super().__init__(**kwargs)
        self.dim = dim
        self.num_heads = num_heads
        self.routing = routing
        self.attention = make_attention(
            dim, num_heads, routing, dtype=self.dtype_policy
        )

    def build(self, query_shape, key_shape, value_shape):
        self.attention.build(query_shape, value_shape, key_shape)

    def call(self, query, key, value, padding_mask=None, return_attention_scores=False):
        mask = full_mask(key) if padding_mask is None else padding_mask
        keys = key.shape[1]
        if keys == 1:
            # Keras warns of a softmax over one key. A masked second one has no
            # part in it.
            behind = [[0, 0], [0, 1]]
            mask = ops.pad(mask, behind)
            key, value = (ops.pad(x, [*behind, [0, 0]]) for x in (key, value))
        result = self.attention(
            query,
            value,
            key,
            attention_mask=mask[:, None, :],
            return_attention_scores=return_attention_scores,
        )
        if not return_attention_scores:
            return result
        output, scores = result  # scores (batch, heads, queries, keys)
        return output, ops.mean(scores, axis=1)[..., :keys]

    def get_config(self):
        config = super().get_config()
        config.update(
            {"dim": self.dim, "num_heads": self.num_heads, "routing": self.routing}
        )
        return config
