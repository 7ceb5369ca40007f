"""Recursions over time as one `keras.layers.RNN`.

Of the ways to write a loop, this one trains on every backend and converts to
builtin LiteRT operations; `ops.scan` does not.
"""

import keras
import numpy as np
from keras import ops

from keras_slu.layers.masks import reverse_rows


class _StepCell(keras.layers.Layer):
    """An RNN cell that is nothing but its step function."""

    def __init__(self, step, state_size, **kwargs):
        super().__init__(**kwargs)
        self.step = step
        self.state_size = state_size

    def build(self, input_shape):
        pass

    def call(self, inputs, states):
        state = self.step(inputs, states[0])
        return state, [state]


def recurse(steps, inputs, mask, states, *, reverse=False):
    """Runs `state = step(input, state)` over the real time steps.

    Several recursions over the same inputs share one loop: most of a loop's
    cost is in its steps, not in what they do. The loop runs over padding too,
    where nobody looks: masks inside the loop would cost more than the steps.

    Args:
        steps: list of functions of a `(batch, features)` input and a state,
            that give the next state. They must stay finite on padding, where
            the inputs may be anything finite.
        inputs: float tensor `(batch, time, features)`.
        mask: bool tensor `(batch, time)`, each row a non-empty prefix.
        states: list of float tensors `(batch, size)`, the state of each
            recursion before the first step.
        reverse: bool. Whether to go from the last real step to the first.

    Returns:
        list of tensors `(batch, time + 1, size)`, the states of each recursion
        between the steps, in the order of time: `[:, t]` is the state on the
        left of step `t`, `[:, t + 1]` that on its right, whichever was first.
        Without meaning where only padding is beside.
    """
    sizes = [state.shape[-1] for state in states]
    start = ops.concatenate(states, axis=-1)
    # A step more than there are inputs: one state stands outside of them all.
    borders = ops.pad(mask, [[0, 0], [1, 0]], constant_values=True)
    if reverse:
        inputs = reverse_rows(inputs, mask)
    rnn = keras.layers.RNN(
        _StepCell(_together(steps, sizes), start.shape[-1], dtype=start.dtype),
        return_sequences=True,
        dtype=start.dtype,
    )
    sequence = rnn(inputs, initial_state=[start])
    sequence = ops.concatenate([ops.expand_dims(start, 1), sequence], axis=1)
    if reverse:
        sequence = reverse_rows(sequence, borders)
    return _split(sequence, sizes)


def at_the_end(sequence, mask):
    """Picks the state on the right of each row's last real step.

    Args:
        sequence: tensor `(batch, time + 1, size)`, as `recurse` gives it.
        mask: bool tensor `(batch, time)`.

    Returns:
        tensor `(batch, size)`.
    """
    before = ops.pad(mask, [[0, 0], [1, 0]], constant_values=True)
    after = ops.pad(mask, [[0, 0], [0, 1]], constant_values=False)
    is_last = ops.cast(ops.logical_and(before, ops.logical_not(after)), sequence.dtype)
    return ops.sum(sequence * ops.expand_dims(is_last, -1), axis=1)


def _together(steps, sizes):
    """Many steps as one, on their states side by side."""

    def step(inputs, state):
        parts = _split(state, sizes)
        parts = [one(inputs, part) for one, part in zip(steps, parts, strict=True)]
        return ops.concatenate(parts, axis=-1)

    return steps[0] if len(steps) == 1 else step


def _split(values, sizes):
    """Splits the last axis into parts of these sizes."""
    if len(sizes) == 1:
        return [values]
    return ops.split(values, np.cumsum(sizes)[:-1].tolist(), axis=-1)
