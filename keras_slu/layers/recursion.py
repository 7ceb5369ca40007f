"""A recursion over time as one `keras.layers.RNN`.

Of the ways to write a loop, this one trains on every backend and converts to
builtin LiteRT operations; `ops.scan` does not.
"""

import keras
from keras import ops

from keras_slu.layers.masks import lengths
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
        output, state = self.step(inputs, states[0])
        return output, [state]


def recurse(step, inputs, mask, state, *, reverse=False, return_sequences=True):
    """Runs `output, state = step(input, state)` over the real time steps.

    The loop runs over padding too, where nobody looks: masks inside the loop
    would cost more than the steps.

    Args:
        step: function of a `(batch, features)` input and the state. It must
            stay finite on padding, where the inputs may be anything finite.
        inputs: float tensor `(batch, time, features)`.
        mask: bool tensor `(batch, time)`, each row a non-empty prefix.
        state: float tensor `(batch, size)`, the state before the first step.
        reverse: bool. Whether to go from the last real step to the first.
            Outputs are given in the order of time all the same.
        return_sequences: bool. Whether to give the outputs of all steps.

    Returns:
        `(outputs, state)`: `(batch, time, ...)`, without meaning at padding,
        or `None` where `return_sequences` is false; and the state after the
        last step taken.
    """
    size = state.shape[-1]
    if reverse:
        inputs = reverse_rows(inputs, mask)

    def step_with_state(inputs, state):
        output, state = step(inputs, state)
        if return_sequences:
            return ops.concatenate([output, state], axis=-1), state
        return state, state

    rnn = keras.layers.RNN(
        _StepCell(step_with_state, size, dtype=state.dtype),
        return_sequences=True,
        dtype=state.dtype,
    )
    sequence = rnn(inputs, initial_state=[state])
    last = ops.one_hot(lengths(mask) - 1, ops.shape(inputs)[1], dtype=state.dtype)
    state = ops.sum(sequence[..., -size:] * last[..., None], axis=1)
    if not return_sequences:
        return None, state
    outputs = sequence[..., :-size]
    return (reverse_rows(outputs, mask) if reverse else outputs), state
