"""Dynamic routing against its procedure, capsule by capsule."""

import keras
import numpy as np
import pytest
from capsules import check_gradients
from capsules import dynamic_routing
from checks import array
from checks import draw
from checks import gradients
from checks import needs_tensorflow
from keras import ops

from keras_slu.layers.dynamic_routing import DynamicRouting


def variable(votes):
    return keras.Variable(votes, dtype="float64")


def weighted_sum(routing, votes):
    capsules = routing(votes.value)
    return ops.sum(capsules * draw(*capsules.shape, seed=1).astype("float64"))


@pytest.mark.parametrize("iterations", [1, 3])
@pytest.mark.parametrize("inputs, outputs", [(8, 5), (3, 1), (1, 4)])
def test_the_procedure(iterations, inputs, outputs):
    votes = draw(2, 3, inputs, outputs, 6)
    capsules = array(DynamicRouting(iterations)(votes))
    for place in np.ndindex(2, 3):
        expected = dynamic_routing(votes[place], iterations)
        np.testing.assert_allclose(capsules[place], expected, atol=1e-6)


def test_the_shared_checks(check_layer):
    check_layer(DynamicRouting, {"votes": draw(2, 3, 4, 3, 5)})


@needs_tensorflow
def test_the_gradients():
    votes = variable(draw(1, 3, 4, 2))
    routing = DynamicRouting(dtype="float64")
    check_gradients(lambda: weighted_sum(routing, votes), [votes])


@needs_tensorflow
def test_zero_votes_give_zero_capsules_and_finite_gradients():
    votes = variable(np.zeros((2, 4, 3, 5)))
    routing = DynamicRouting()
    assert not array(routing(votes.value)).any()
    (slopes,) = gradients(lambda: ops.sum(routing(votes.value)), [votes])
    assert np.isfinite(slopes).all()


@needs_tensorflow
def test_stopped_gradients_leave_the_output_and_take_the_shares_as_given():
    votes = variable(draw(1, 3, 4, 2))
    free, stopped = (
        DynamicRouting(stop_gradient=s, dtype="float64") for s in (False, True)
    )
    np.testing.assert_array_equal(free(votes.value), stopped(votes.value))
    (of_free,) = gradients(lambda: weighted_sum(free, votes), [votes])
    (of_stopped,) = gradients(lambda: weighted_sum(stopped, votes), [votes])
    assert np.abs(of_free - of_stopped).max() > 0.01
    assert np.abs(of_stopped).min() > 0


def test_half_precision_keeps_large_votes_finite():
    votes = 300 * draw(2, 8, 1, 16)  # their squares overflow in float16
    lengths = np.linalg.norm(array(DynamicRouting(dtype="float16")(votes)), axis=-1)
    np.testing.assert_allclose(lengths, 1.0, atol=1e-2)


def test_capsules_grow_with_the_agreement_of_their_votes():
    """8 inputs and 64 components: neither near 0 nor near 1 nor all alike."""
    centres = draw(1, 8, 64, seed=1) / 8
    lengths = []
    for noise in (2.0, 1.0, 0.5, 0.0):
        votes = (centres + noise * draw(8, 8, 64) / 8) / np.sqrt(1 + noise**2)
        lengths.append(np.linalg.norm(array(DynamicRouting()(votes)), axis=-1).mean())
    print("mean lengths", np.round(lengths, 3))
    assert (np.diff(lengths) > 0).all()


def test_no_iteration_is_refused():
    with pytest.raises(ValueError, match="Received: 0"):
        DynamicRouting(0)
