"""Confidence of the spans that a softmax slot head finds."""

from keras import ops

from keras_slu.layers.bio import bio_continues


def least_probability(probabilities, tags, tag_names):
    """Gives each token the least probability among the tokens of its span.

    Args:
        probabilities: float tensor `(batch, time)`, of each token's tag.
        tags: int tensor `(batch, time)`, -1 at padding.
        tag_names: list of str, BIO names.

    Returns:
        float tensor `(batch, time)`; 0 at padding.
    """
    mask = tags >= 0
    tags = ops.maximum(tags, 0)
    pairs = ops.reshape(ops.cast(bio_continues(tag_names), "int32"), (-1,))
    inside = ops.take(pairs, tags[:, :-1] * len(tag_names) + tags[:, 1:])
    inside = ops.pad(inside, [[0, 0], [1, 0]])  # (batch, time)
    span = ops.cumsum(1 - inside, axis=1)
    same_span = ops.logical_and(span[:, :, None] == span[:, None, :], mask[:, None, :])
    least = ops.min(ops.where(same_span, probabilities[:, None, :], 1.0), axis=-1)
    return ops.where(mask, least, 0.0)
