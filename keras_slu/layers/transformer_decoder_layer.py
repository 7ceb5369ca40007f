"""One layer of a Transformer decoder, with capsule routing as an option."""

import keras
from keras import ops

from keras_slu.layers.add_norm import AddNorm
from keras_slu.layers.attention_parts import attend
from keras_slu.layers.attention_parts import keys_and_values
from keras_slu.layers.attention_parts import make_attention
from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.masks import full_mask


@keras.saving.register_keras_serializable(package="keras_slu")
class TransformerDecoderLayer(keras.layers.Layer):
    """Causal self-attention, attention to a source, and a feed-forward network.

    Each has a residual and a norm behind it. `call` runs over a whole target,
    as in training; `step` over one token of it, with what the tokens before it
    left in a cache.

    Args:
        dim: int. Width of the features, a multiple of `num_heads` and at least
            twice it.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of the feed-forward network's hidden layer, or
            `None` for `dim`. Defaults to `None`.
        self_routing, cross_routing: `"dynamic"`, `"em"`, or `None` for plain
            attention: of the attention to the target, and to the source.
            Default to `None`.
        capsules: dict. More arguments of `CapsuleMultiHeadAttention`. Defaults
            to none.
        dropout: float. Rate on the output of each part. Defaults to `0.0`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`. Padding comes last, so that
            it needs no mask: no token sees what comes after it.
        source: float tensor `(batch, keys, features)`.
        source_mask: bool tensor `(batch, keys)`, true at real tokens, or
            `None` when all are real.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> layer = TransformerDecoderLayer(32, cross_routing="dynamic")
    >>> layer(np.ones((2, 5, 32), "float32"), np.ones((2, 7, 32), "float32")).shape
    TensorShape([2, 5, 32])

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 3.1
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188), section 3
    """

    def __init__(
        self,
        dim,
        num_heads=8,
        inner_dim=None,
        self_routing=None,
        cross_routing=None,
        capsules=None,
        dropout=0.0,
        attention_dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.dim = dim
        self.num_heads = num_heads
        self.inner_dim = inner_dim
        self.self_routing = self_routing
        self.cross_routing = cross_routing
        self.capsules = dict(capsules or {})
        self.dropout = dropout
        self.attention_dropout = attention_dropout

        def attention(routing, name):
            return make_attention(
                dim,
                num_heads,
                routing,
                self.capsules,
                attention_dropout,
                dtype=self.dtype_policy,
                name=name,
            )

        def norm(name):
            return AddNorm(dropout, dtype=self.dtype_policy, name=name)

        self.self_attention = attention(self_routing, "self_attention")
        self.cross_attention = attention(cross_routing, "cross_attention")
        self.feed_forward = FeedForward(dim, inner_dim, dtype=self.dtype_policy)
        self.self_norm = norm("self_norm")
        self.cross_norm = norm("cross_norm")
        self.output_norm = norm("output_norm")

    def build(self, hidden_shape, source_shape):
        self.self_attention.build(hidden_shape, hidden_shape)
        self.cross_attention.build(hidden_shape, source_shape)
        self.feed_forward.build(hidden_shape)
        for norm in (self.self_norm, self.cross_norm, self.output_norm):
            norm.build(hidden_shape, hidden_shape)

    def call(self, hidden, source, source_mask=None, training=None):
        mask = full_mask(source) if source_mask is None else source_mask
        attended = self.self_attention(
            hidden, hidden, use_causal_mask=True, training=training
        )
        hidden = self.self_norm(hidden, attended, training=training)
        attended = self.cross_attention(
            hidden, source, attention_mask=mask[:, None], training=training
        )
        hidden = self.cross_norm(hidden, attended, training=training)
        return self.output_norm(hidden, self.feed_forward(hidden), training=training)

    def source_cache(self, source):
        """The keys and values of a source, for `step`."""
        return keys_and_values(self.cross_attention, source)

    def empty_cache(self, rows, time):
        """Room for the keys and values of `time` target tokens, for `step`."""
        width = self.dim // self.num_heads
        room = ops.zeros((rows, time, self.num_heads, width), self.compute_dtype)
        return room, room

    def step(self, hidden, place, cache, source_cache, source_mask):
        """Runs over one token.

        Args:
            hidden: float tensor `(batch, 1, dim)`.
            place: int tensor `()`, the token's place from 0.
            cache: keys and values of the tokens before it.
            source_cache: what `source_cache` gave.
            source_mask: bool tensor `(batch, keys)`.

        Returns:
            float tensor `(batch, 1, dim)`, and the cache with the token in it.
        """
        places = ops.arange(ops.shape(cache[0])[1])
        is_here = (places == place)[None, :, None, None]
        own = keys_and_values(self.self_attention, hidden)
        cache = tuple(
            ops.where(is_here, new, old) for new, old in zip(own, cache, strict=True)
        )
        seen = (places <= place)[None, None]
        attended = attend(self.self_attention, hidden, *cache, seen)
        hidden = self.self_norm(hidden, attended)
        attended = attend(
            self.cross_attention, hidden, *source_cache, source_mask[:, None]
        )
        hidden = self.cross_norm(hidden, attended)
        return self.output_norm(hidden, self.feed_forward(hidden)), cache

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_heads": self.num_heads,
                "inner_dim": self.inner_dim,
                "self_routing": self.self_routing,
                "cross_routing": self.cross_routing,
                "capsules": self.capsules,
                "dropout": self.dropout,
                "attention_dropout": self.attention_dropout,
            }
        )
        return config
