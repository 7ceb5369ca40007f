"""How probable the spans of a chain of tags are, each as a whole."""

from keras import ops

from keras_slu.layers.log_matrix import safe_log


def span_confidence(chosen, marginals, onward, continues, mask):
    """Gives each token the probability of exactly its span.

    Args:
        chosen: float tensor `(batch, time, K)`, one-hot rows of the tags.
        marginals: float tensor `(batch, time, K)`, `P(y_t = k)`.
        onward: float tensor `(batch, time - 1, K)`, `P(y_t+1 = k | y_t)` after
            the tag that was chosen: from a known tag on, nothing before matters.
        continues: float tensor `(batch, time - 1, K)`, 1 where tag `k` carries
            the span of the chosen tag on, else 0.
        mask: bool tensor `(batch, time)`.

    Returns:
        float tensor `(batch, time)`; 0 at padding.
    """
    follow = _pick(onward, chosen[:, 1:])
    stop = 1.0 - ops.sum(onward * continues, axis=-1)  # (batch, time - 1)
    inside = ops.logical_and(_pick(continues, chosen[:, 1:]) > 0.5, mask[:, 1:])

    # A span's factors: its first tag, each step inside it, and its stop.
    before, behind = [[0, 0], [1, 0]], [[0, 0], [0, 1]]
    is_stop = ops.logical_and(mask[:, 1:], ops.logical_not(inside))
    exit_ = ops.pad(ops.where(is_stop, stop, 1.0), behind, constant_values=1.0)
    inside = ops.pad(inside, before)  # (batch, time)
    entry = ops.where(inside, ops.pad(follow, before), _pick(marginals, chosen))
    log_factor = safe_log(entry * exit_)

    span = ops.cumsum(ops.cast(ops.logical_not(inside), "int32"), axis=1)
    same_span = ops.logical_and(
        ops.expand_dims(span, 2) == ops.expand_dims(span, 1),
        ops.expand_dims(mask, 1),
    )
    factors = ops.where(same_span, ops.expand_dims(log_factor, 1), 0.0)
    total = ops.sum(factors, axis=-1)
    return ops.where(mask, ops.exp(total), 0.0)


def _pick(values, chosen):
    """The value of the tag that the one-hot rows of `chosen` name."""
    return ops.sum(values * chosen, axis=-1)
