"""Keras' multi-head attention with or without capsules, whole and in parts.

A decoder that writes one token at a time keeps the keys and values that it has
already made, so it needs the parts.
"""

import keras

from keras_slu.layers.capsule_attention import CapsuleMultiHeadAttention


def make_attention(dim, num_heads, routing, capsules=None, dropout=0.0, **kwargs):
    """Makes an attention layer.

    Args:
        dim: int. Width of the output, a multiple of `num_heads` and at least
            twice it.
        num_heads: int.
        routing: `"dynamic"`, `"em"`, or `None` for no routing.
        capsules: dict. More arguments of `CapsuleMultiHeadAttention`, for an
            attention with routing. Defaults to none.
        dropout: float. Rate on the attention weights. Defaults to `0.0`.
        **kwargs: passed to the layer.

    Returns:
        `keras.layers.MultiHeadAttention` or `CapsuleMultiHeadAttention`.
    """
    # Heads of width 1 are refused: where there are as many tokens as heads,
    # Keras 3.15 adds the bias of such a head along the wrong axis.
    if dim % num_heads or dim < 2 * num_heads:
        raise ValueError(
            "`dim` must be a multiple of `num_heads`, at least twice it. "
            f"Received: dim={dim}, num_heads={num_heads}"
        )
    settings = {"dropout": dropout, "output_shape": dim, **kwargs}
    if routing is None:
        return keras.layers.MultiHeadAttention(num_heads, dim // num_heads, **settings)
    return CapsuleMultiHeadAttention(
        num_heads, dim // num_heads, routing, **(capsules or {}), **settings
    )


def keys_and_values(attention, memory):
    """The keys and the values of what is attended to.

    Args:
        attention: layer of `make_attention`.
        memory: float tensor `(batch, keys, features)`.

    Returns:
        two float tensors `(batch, keys, heads, width)`.
    """
    return attention.key_dense(memory), attention.value_dense(memory)


def attend(attention, query, keys, values, mask):
    """Attends to keys and values that `keys_and_values` has made.

    Args:
        attention: layer of `make_attention`.
        query: float tensor `(batch, queries, features)`.
        keys, values: float tensors `(batch, keys, heads, width)`.
        mask: bool tensor `(batch, queries, keys)`, true where a query sees a
            key; sizes of 1 are repeated.

    Returns:
        float tensor `(batch, queries, features)`.
    """
    heads, _ = attention._compute_attention(
        attention.query_dense(query), keys, values, mask
    )
    return attention.output_dense(heads)
