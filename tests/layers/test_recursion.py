"""The recursion against a loop over each utterance's real steps."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import needs_tensorflow
from checks import prefix_mask

from keras_slu.layers.recursion import recurse

LENGTHS = [5, 3, 1]
MASK = prefix_mask(LENGTHS, 5)
INPUTS, STATE = draw(3, 5, 2), draw(3, 2, seed=1)


def step(inputs, state):
    """Depends on the order of the steps, and puts out other than its state."""
    state = 0.5 * state + inputs
    return state * 3.0, state


def reference(reverse):
    outputs, states = np.zeros((3, 5, 2)), np.float64(STATE)
    for row, length in enumerate(LENGTHS):
        order = range(length)
        for time in reversed(order) if reverse else order:
            outputs[row, time], states[row] = step(INPUTS[row, time], states[row])
    return outputs, states


@pytest.mark.parametrize("reverse", [False, True])
def test_the_real_steps_in_order(reverse):
    outputs, state = recurse(step, INPUTS, MASK, STATE, reverse=reverse)
    expected_outputs, expected_state = reference(reverse)
    np.testing.assert_allclose(array(outputs)[MASK], expected_outputs[MASK], atol=1e-6)
    np.testing.assert_allclose(array(state), expected_state, atol=1e-6)


@pytest.mark.parametrize("reverse", [False, True])
def test_the_state_alone(reverse):
    _, state = recurse(
        step, INPUTS, MASK, STATE, reverse=reverse, return_sequences=False
    )
    np.testing.assert_allclose(array(state), reference(reverse)[1], atol=1e-6)


@needs_tensorflow
def test_a_traced_graph_of_unknown_length():
    import tensorflow as tf

    @tf.function(
        input_signature=[
            tf.TensorSpec((None, None, 2)),
            tf.TensorSpec((None, None), tf.bool),
            tf.TensorSpec((None, 2)),
        ]
    )
    def traced(inputs, mask, state):
        return recurse(step, inputs, mask, state, reverse=True)

    outputs, state = traced(INPUTS, MASK, STATE)
    np.testing.assert_allclose(outputs.numpy()[MASK], reference(True)[0][MASK], 1e-5)
    np.testing.assert_allclose(state, reference(True)[1], atol=1e-6)
