"""EM routing against its procedure, capsule by capsule."""

import keras
import numpy as np
import pytest
from capsules import check_gradients
from capsules import em_routing
from checks import array
from checks import arrays
from checks import draw
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from keras import ops

from keras_slu.layers.em_routing import EMRouting


def make(votes, activations=None, **kwargs):
    layer = EMRouting(**kwargs)
    layer(votes, activations)
    draw_weights(layer)
    return layer


def draw_activations(*shape):
    return 1 / (1 + np.exp(-draw(*shape, seed=1)))


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("schedule", [(1.0, 2.0, 3.0), (0.5,)])
@pytest.mark.parametrize("inputs, outputs", [(8, 5), (3, 1)])
def test_the_procedure(average, schedule, inputs, outputs):
    votes = draw(2, 3, inputs, outputs, 6)
    activations = draw_activations(2, 3, inputs)
    settings = {"schedule": schedule, "average": average}
    layer = make(
        votes, activations, iterations=len(schedule), dtype="float64", **settings
    )
    means, out = arrays(layer(votes, activations))
    for place in np.ndindex(2, 3):
        expected_means, expected_out = em_routing(
            votes[place].astype("float64"),
            activations[place].astype("float64"),
            *layer.get_weights(),
            **settings,
        )
        np.testing.assert_allclose(means[place], expected_means, atol=1e-6)
        np.testing.assert_allclose(out[place], expected_out, atol=1e-6)


def test_the_defaults_are_three_iterations_of_active_inputs():
    votes = draw(2, 4, 3, 5)
    layer = make(votes)
    told = make(votes, schedule=(1.0, 2.0, 3.0))
    for some, other in zip(
        arrays(layer(votes)), arrays(told(votes, np.ones((2, 4)))), strict=True
    ):
        np.testing.assert_array_equal(some, other)


def test_the_shared_checks(check_layer):
    inputs = {"votes": draw(2, 3, 4, 3, 5), "activations": draw_activations(2, 3, 4)}
    check_layer(lambda **kwargs: EMRouting(schedule=(1, 1.5, 2), **kwargs), inputs)


@needs_tensorflow
def test_the_gradients():
    votes = keras.Variable(draw(1, 3, 4, 2), dtype="float64")
    activations = keras.Variable(draw_activations(1, 3), dtype="float64")
    layer = make(votes.value, activations.value, dtype="float64")

    def loss():
        means, out = layer(votes.value, activations.value)
        return ops.sum(means * draw(*means.shape, seed=2)) + ops.sum(
            out * draw(*out.shape, seed=3)
        )

    check_gradients(loss, [votes, activations, *layer.trainable_variables])


@needs_tensorflow
@pytest.mark.parametrize("average", [True, False])
def test_alike_votes_and_inactive_inputs_give_finite_numbers(average):
    """All variances vanish; then no vote counts."""
    for votes, activation in [(np.zeros((2, 4, 3, 64)), 1.0), (draw(2, 4, 3, 64), 0.0)]:
        votes = keras.Variable(votes, dtype="float32")
        layer = EMRouting(average=average)
        activations = np.full((2, 4), activation, "float32")
        assert all(
            np.isfinite(x).all() for x in arrays(layer(votes.value, activations))
        )
        (slopes,) = gradients(
            lambda v=votes, a=activations, f=layer: sum(map(ops.sum, f(v.value, a))),
            [votes],
        )
        assert np.isfinite(slopes).all()


@needs_tensorflow
def test_stopped_gradients_leave_the_output():
    votes = keras.Variable(draw(1, 3, 4, 2), dtype="float64")
    free, stopped = (
        make(votes.value, stop_gradient=s, dtype="float64") for s in (False, True)
    )
    np.testing.assert_array_equal(free(votes.value)[0], stopped(votes.value)[0])
    slopes = [
        gradients(lambda f=layer: ops.sum(f(votes.value)[0] ** 2), [votes])[0]
        for layer in (free, stopped)
    ]
    assert np.abs(slopes[0] - slopes[1]).max() > 0.01
    assert np.abs(slopes[1]).min() > 0


def test_activations_rise_with_the_agreement_of_the_votes():
    """8 inputs and 64 components: not all at 0, at 1 or at one half."""
    centres = draw(1, 8, 64, seed=1)
    means = []
    for noise in (2.0, 1.4, 1.0, 0.7, 0.5):
        activations = array(EMRouting()(centres + noise * draw(8, 8, 64))[1])
        print(f"noise {noise}: {activations.min():.3f} to {activations.max():.3f}")
        assert 0.01 < activations.min() and activations.max() < 0.99
        means.append(activations.mean())
    assert (np.diff(means) > 0.05).all()

    noise = np.linspace(0.6, 1.6, 8)[None, :, None]  # now between capsules
    activations = array(EMRouting()(centres + noise * draw(8, 8, 64))[1])
    print("in one call:", np.round(activations, 3))
    assert np.corrcoef(noise.ravel(), activations)[0, 1] < -0.8
    assert np.ptp(activations) > 0.2


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="Received: 0"):
        EMRouting(0)
    with pytest.raises(ValueError, match="one value an iteration"):
        EMRouting(2, schedule=(1.0, 2.0, 3.0))
