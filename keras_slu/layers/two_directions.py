"""Two LSTMs, one in each direction, run in one loop."""

from keras import ops

from keras_slu.layers.masks import reverse_rows
from keras_slu.layers.recursion import recurse
from keras_slu.layers.tokenwise import tokenwise


def read_both_ways(forward, backward, inputs, padding_mask):
    """Gives what two LSTMs give, of which one reads each row backwards.

    For inference. Short steps cost by the number of their operations, of
    which there are half as many here; a GPU's own kernel, which training
    wants, is in the layers' `call` alone.

    Args:
        forward, backward: built `keras.layers.LSTM`, equal in `units`, with
            the default activations.
        inputs: float tensor `(batch, time, features)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens.

    Returns:
        float tensor `(batch, time, 2 * units)`, without meaning at padding.
    """
    units = forward.units
    gates = _by_gate(
        _project(forward.cell, inputs),
        reverse_rows(_project(backward.cell, inputs), padding_mask),
    )  # (batch, time, 8 * units)
    # Block by block, so that no direction sees the other.
    kernel = _by_gate(
        ops.pad(forward.cell.recurrent_kernel, [[0, units], [0, 0]]),
        ops.pad(backward.cell.recurrent_kernel, [[units, 0], [0, 0]]),
    )  # (2 * units, 8 * units)

    def step(gates, state):
        hidden, cell = ops.split(state, 2, axis=-1)
        gates = gates + ops.matmul(hidden, kernel)
        into, keep, new, out = ops.split(gates, 4, axis=-1)
        cell = ops.sigmoid(keep) * cell + ops.sigmoid(into) * ops.tanh(new)
        return ops.concatenate([ops.sigmoid(out) * ops.tanh(cell), cell], axis=-1)

    start = ops.zeros_like(gates[:, 0, : 4 * units])
    (states,) = recurse([step], gates, padding_mask, [start])
    ahead, back, _ = ops.split(states[:, 1:], [units, 2 * units], axis=-1)
    return ops.concatenate([ahead, reverse_rows(back, padding_mask)], axis=-1)


def _project(cell, inputs):
    """What the inputs add to the gates, `(batch, time, 4 * units)`."""
    return tokenwise(lambda rows: ops.matmul(rows, cell.kernel) + cell.bias, inputs)


def _by_gate(ahead, back):
    """Puts both directions of each of the four gates side by side."""
    pairs = zip(ops.split(ahead, 4, axis=-1), ops.split(back, 4, axis=-1), strict=True)
    return ops.concatenate([one for pair in pairs for one in pair], axis=-1)
