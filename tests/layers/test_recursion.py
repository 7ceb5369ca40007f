"""The recursion against a loop over each utterance's real steps."""

import numpy as np
import pytest
from checks import array
from checks import draw
from checks import needs_tensorflow
from checks import prefix_mask

from keras_slu.layers.recursion import at_the_end
from keras_slu.layers.recursion import recurse

LENGTHS = [5, 3, 1]
MASK = prefix_mask(LENGTHS, 5)
INPUTS, STATE, OTHER = draw(3, 5, 2), draw(3, 2, seed=1), draw(3, 3, seed=2)


def step(inputs, state):
    """Depends on the order of the steps."""
    return 0.5 * state + inputs


def other_step(inputs, state):
    """Of another size, and on the same inputs."""
    return -0.3 * state + inputs[:, :1]


def reference(step, state, reverse):
    """The states between the steps, and NaN where only padding is beside."""
    states = np.full((3, 6, state.shape[-1]), np.nan)
    for row, length in enumerate(LENGTHS):
        before, after = (1, 0) if reverse else (0, 1)
        order = range(length)
        states[row, length if reverse else 0] = state[row]
        for time in reversed(order) if reverse else order:
            inputs, left = INPUTS[row, [time]], states[row, [time + before]]
            states[row, time + after] = step(inputs, left)[0]
    return states


def check(states, expected):
    expected_at = ~np.isnan(expected)
    np.testing.assert_allclose(
        array(states)[expected_at], expected[expected_at], atol=1e-6
    )


@pytest.mark.parametrize("reverse", [False, True])
def test_the_states_between_the_real_steps(reverse):
    (states,) = recurse([step], INPUTS, MASK, [STATE], reverse=reverse)
    check(states, reference(step, STATE, reverse))


@pytest.mark.parametrize("reverse", [False, True])
def test_several_recursions_in_one_loop(reverse):
    both = recurse([step, other_step], INPUTS, MASK, [STATE, OTHER], reverse=reverse)
    for states, one, start in zip(
        both, (step, other_step), (STATE, OTHER), strict=True
    ):
        check(states, reference(one, start, reverse))


def test_the_state_at_the_end():
    (states,) = recurse([step], INPUTS, MASK, [STATE])
    last = reference(step, STATE, False)[np.arange(3), LENGTHS]
    np.testing.assert_allclose(array(at_the_end(states, MASK)), last, atol=1e-6)


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
        return recurse([step], inputs, mask, [state], reverse=True)

    check(traced(INPUTS, MASK, STATE)[0], reference(step, STATE, True))
