"""A recursion over time as one `keras.layers.RNN`.

Of the ways to write a loop, this one trains on every backend and converts to
builtin LiteRT operations; `ops.scan` does not.
"""

import keras
from keras import ops


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

    Args:
        step: function of a `(batch, features)` input and the state.
        inputs: float tensor `(batch, time, features)`.
        mask: bool tensor `(batch, time)`. At false steps the state is kept
            and the output has no meaning.
        state: float tensor `(batch, size)`, the state before the first step.
        reverse: bool. Whether to go from the last step to the first. Outputs
            are given in the order of time all the same.
        return_sequences: bool. Whether to give the outputs of all steps.

    Returns:
        `(outputs, state)`: `(batch, time, ...)`, or the last step's where
        `return_sequences` is false; and the state after the last step.
    """
    rnn = keras.layers.RNN(
        _StepCell(step, state.shape[-1], dtype=state.dtype),
        return_sequences=return_sequences,
        return_state=True,
        go_backwards=reverse,
        dtype=state.dtype,
    )
    outputs, state = rnn(inputs, initial_state=[state], mask=mask)
    if reverse and return_sequences:
        outputs = ops.flip(outputs, axis=1)
    return outputs, state
