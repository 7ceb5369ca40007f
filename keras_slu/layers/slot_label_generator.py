"""Slot label generation, the training-only task of SHA-LRT (Cheng et al. 2022)."""

import keras
from keras import ops

from keras_slu.layers.add_norm import AddNorm
from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.relative_self_attention import RelativeSelfAttention
from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import tokenwise


class _DecoderLayer(keras.layers.Layer):
    """Attention to the labels before, attention to the memory, feed-forward."""

    def __init__(self, dim, num_heads, inner_dim, max_distance, dropout, **kwargs):
        super().__init__(**kwargs)
        settings = {"dtype": self.dtype_policy}
        self.self_attention, self.cross_attention = (
            RelativeSelfAttention(dim, num_heads, max_distance, name=name, **settings)
            for name in ("self_attention", "cross_attention")
        )
        self.feed_forward = FeedForward(dim, inner_dim, **settings)
        self.self_norm, self.cross_norm, self.output_norm = (
            AddNorm(dropout, name=name, **settings)
            for name in ("self_norm", "cross_norm", "output_norm")
        )

    def build(self, hidden_shape, memory_shape):
        self.self_attention.build(hidden_shape)
        self.cross_attention.build(hidden_shape, memory_shape)
        self.feed_forward.build(hidden_shape)
        for norm in (self.self_norm, self.cross_norm, self.output_norm):
            norm.build(hidden_shape, hidden_shape)

    def call(self, hidden, memory, padding_mask, training):
        attended = self.self_attention(hidden, causal=True)
        hidden = self.self_norm(hidden, attended, training=training)
        attended = self.cross_attention(hidden, memory, padding_mask=padding_mask)
        hidden = self.cross_norm(hidden, attended, training=training)
        return self.output_norm(hidden, self.feed_forward(hidden), training=training)


@keras.saving.register_keras_serializable(package="keras_slu")
class SlotLabelGenerator(keras.layers.Layer):
    """Predicts each slot label from the labels before it and the encoder.

    A Transformer decoder under teacher forcing, all positions at once. It is
    there to train the encoder: labels in a row depend on each other, and
    through attention the encoder learns of it. A model leaves it out of its
    prediction path.

    Both attentions know relative positions, as the encoder's does; labels and
    tokens stand beside each other.

    Args:
        num_tags: int. Number of slot labels.
        dim: int. Width of the features, a multiple of `num_heads`.
        num_layers: int. Defaults to `1`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for `dim`. Defaults to `None`.
        max_distance: int. See `RelativeSelfAttention`. Defaults to `16`.
        dropout: float. Rate on the output of each part. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        previous: int tensor `(batch, time)`, the gold label of the token
            before each; -1 at the first token and where it is unknown.
        memory: float tensor `(batch, time, features)`, the encoder's states of
            the tokens, without a row for the sentence. The paper's is the
            encoder run without `LayerRefine`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.
        training: bool.

    Returns:
        float tensor `(batch, time, num_tags)`, logits. Those of token `j` do
        not depend on `previous` after `j`.

    Example:

    >>> import numpy as np
    >>> previous = np.array([[-1, 0, 3, 4]])
    >>> memory = np.ones((1, 4, 16), "float32")
    >>> SlotLabelGenerator(num_tags=7, dim=16)(previous, memory).shape
    TensorShape([1, 4, 7])

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.5
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1
    """

    def __init__(
        self,
        num_tags,
        dim,
        num_layers=1,
        num_heads=8,
        inner_dim=None,
        max_distance=16,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if num_layers < 1:
            raise ValueError(f"`num_layers` must be > 0. Received: {num_layers}")
        self.num_tags = num_tags
        self.dim = dim
        self.num_layers = num_layers
        self.num_heads = num_heads
        self.inner_dim = inner_dim
        self.max_distance = max_distance
        self.dropout = dropout
        settings = {"dtype": self.dtype_policy}
        # The last row is that of no label, which comes before the first.
        self.embedding = keras.layers.Embedding(
            num_tags + 1, dim, name="labels", **settings
        )
        self.drop = keras.layers.Dropout(dropout, **settings)
        self.sublayers = [
            _DecoderLayer(
                dim,
                num_heads,
                inner_dim,
                max_distance,
                dropout,
                name=f"layer_{number}",
                **settings,
            )
            for number in range(1, num_layers + 1)
        ]
        self.logits = keras.layers.Dense(num_tags, name="logits", **settings)

    def build(self, previous_shape, memory_shape):
        hidden_shape = (*previous_shape, self.dim)
        self.embedding.build()
        for layer in self.sublayers:
            layer.build(hidden_shape, memory_shape)
        self.logits.build(hidden_shape)

    def call(self, previous, memory, padding_mask=None, training=None):
        rows = ops.where(previous < 0, self.num_tags, previous)
        hidden = self.drop(self.embedding(rows), training=training)
        for layer in self.sublayers:
            hidden = layer(hidden, memory, padding_mask=padding_mask, training=training)
        return tokenwise(self.logits, hidden)

    def compute_output_spec(self, previous, memory, padding_mask=None, training=None):
        shape = (*previous.shape, self.num_tags)
        return keras.KerasTensor(shape, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "num_tags": self.num_tags,
                "dim": self.dim,
                "num_layers": self.num_layers,
                "num_heads": self.num_heads,
                "inner_dim": self.inner_dim,
                "max_distance": self.max_distance,
                "dropout": self.dropout,
            }
        )
        return config


def consistency_losses(generated, slots, padding_mask=None):
    """How far the slot head's answers are from the generator's.

    The cross-entropy of the slot head under the generator, summed over tokens,
    `-sum_j sum_k y^G_jk log y^S_jk`. Gradients go to both.

    Args:
        generated: float tensor `(batch, time, tags)`, logits of the generator.
        slots: float tensor `(batch, time, tags)`, logits of the slot head.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.

    Returns:
        tensor `(batch,)`, float32, or float64 where the logits are.

    Example:

    >>> import numpy as np
    >>> logits = np.zeros((1, 3, 4), "float32")
    >>> consistency_losses(logits, logits).numpy()  # 3 log(4)
    array([4.158883], dtype=float32)

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.5
    """
    dtype = keras.backend.result_type(generated.dtype, slots.dtype, "float32")
    generated, slots = ops.cast(generated, dtype), ops.cast(slots, dtype)
    losses = -ops.sum(softmax(generated) * ops.log_softmax(slots, axis=-1), axis=-1)
    if padding_mask is not None:
        losses = ops.where(padding_mask, losses, 0.0)
    return ops.sum(losses, axis=-1)
