"""Padding masks: true at real tokens, a prefix of each row."""

import numpy as np
from keras import ops


def check_prefix_mask(padding_mask):
    """Refuses a mask that is not a non-empty prefix of each row.

    Args:
        padding_mask: bool tensor `(batch, time)`, or `None`.

    Returns:
        `None` when the mask was `None` or could be checked here and now; for a
        symbolic mask, a bool tensor `(batch,)` that says which rows are valid.

    Raises:
        ValueError: naming the first row at fault.
    """
    if padding_mask is None:
        return None
    try:
        mask = np.asarray(padding_mask).astype(bool)
    except Exception:  # each backend refuses a traced tensor in its own way
        mask = ops.cast(padding_mask, "bool")
        rises = ops.logical_and(mask[:, 1:], ops.logical_not(mask[:, :-1]))
        return ops.logical_and(mask[:, 0], ops.logical_not(ops.any(rises, axis=1)))
    valid = mask[:, 0] & ~(mask[:, 1:] & ~mask[:, :-1]).any(axis=1)
    if not valid.all():
        row = int(np.argmin(valid))
        raise ValueError(
            "`padding_mask` must start with at least one real token and be false "
            f"from the first padding on. Received: row {row} is "
            f"{mask[row].astype(int).tolist()}"
        )
    return None


def softmax_bias(padding_mask, dtype):
    """Gives 0 at real tokens and a large negative number at padding.

    Added to any sane score it stays finite in `dtype`, and its exponential is
    0. `(batch, time)` in `dtype`.
    """
    lowest = -3e4 if dtype == "float16" else -1e9
    return ops.where(
        ops.cast(padding_mask, "bool"), ops.cast(0.0, dtype), ops.cast(lowest, dtype)
    )


def full_mask(hidden):
    """Gives the mask of `hidden` `(batch, time, dim)` when all is real."""
    return ops.ones(ops.shape(hidden)[:2], "bool")


def lengths(padding_mask):
    """The number of real tokens of each row, int32 `(batch,)`."""
    return ops.sum(ops.cast(padding_mask, "int32"), axis=1)


def reverse_rows(values, padding_mask):
    """Reverses each row's real steps; its padding stays where it is.

    Args:
        values: tensor `(batch, time, features)`.
        padding_mask: bool tensor `(batch, time)`, each row a prefix.

    Returns:
        tensor like `values`. Twice reversed, it is `values` again.
    """
    batch, time = ops.shape(values)[:2]
    # Counted, not `arange`: on a device an operation whose result has a size
    # that is computed costs more than all others.
    is_place = ops.logical_or(padding_mask, ops.logical_not(padding_mask))
    place = ops.cumsum(ops.cast(is_place, "int32"), axis=1) - 1
    length = lengths(padding_mask)[:, None]
    source = ops.where(place < length, length - 1 - place, place)
    # One gather of rows is exact and fast; `take_along_axis` takes three times
    # as long, and a matrix product rounds on GPUs.
    source = source + time * ops.arange(batch, dtype="int32")[:, None]
    rows = ops.reshape(values, (-1, values.shape[-1]))
    return ops.take(rows, source, axis=0)
