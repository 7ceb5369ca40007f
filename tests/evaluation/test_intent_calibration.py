"""Numbers of intent heads, on draws whose truth is known."""

import numpy as np
import pytest

from keras_slu.evaluation.calibration import unknown_thresholds
from keras_slu.evaluation.intent_calibration import active_threshold
from keras_slu.evaluation.intent_calibration import fit_intents


def draw_sets(count=4000, temperature=1.0):
    """Probabilities too bold by a temperature, and labels that follow the truth."""
    rng = np.random.default_rng(0)
    logits = 2 * rng.normal(size=(count, 3))
    labels = (rng.random((count, 3)) < 1 / (1 + np.exp(-logits))).astype(int)
    return 1 / (1 + np.exp(-logits * temperature)), labels


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.5])
def test_the_temperature_of_sets_is_found(temperature):
    probabilities, labels = draw_sets(temperature=temperature)
    fitted = fit_intents(probabilities, labels)
    assert fitted.temperature == pytest.approx(temperature, rel=0.07)
    truth, _ = draw_sets()
    np.testing.assert_allclose(fitted.temper(probabilities), truth, atol=0.03)


def test_rows_of_unseen_intents_do_not_count():
    probabilities, labels = draw_sets(temperature=2.0)
    more = np.concatenate([probabilities, np.full((500, 3), 0.999)])
    unseen = np.concatenate([labels, np.full((500, 3), -1)])
    assert fit_intents(more, unseen) == fit_intents(probabilities, labels)


def test_the_threshold_has_most_exact_sets():
    rng = np.random.default_rng(1)
    probabilities = rng.random((300, 4))
    labels = (probabilities + rng.normal(0, 0.1, (300, 4)) > 0.7).astype(int)
    found = active_threshold(probabilities, labels)

    def exact(threshold):
        return ((probabilities >= threshold) == labels).all(axis=1).mean()

    assert exact(found) == max(map(exact, np.arange(1, 50) / 50))
    assert exact(found) > exact(0.5) + 0.2


def test_equally_good_thresholds_give_that_nearest_to_one_half():
    assert active_threshold(np.array([[0.9, 0.1]]), np.array([[1, 0]])) == 0.5
    assert active_threshold(np.array([[0.9, 0.7]]), np.array([[1, 0]])) == 0.72


def test_decisions_of_one_class_and_of_sets():
    probabilities = np.array([[0.9, 0.1], [0.4, 0.6]])
    one = fit_intents(probabilities, np.array([0, 0]))
    confidence, right = one.decisions(probabilities, np.array([0, 0]))
    assert (confidence.tolist(), right.tolist()) == ([0.9, 0.6], [True, False])
    labels = np.array([[1, 1], [-1, -1]])
    sets = fit_intents(probabilities, labels)
    confidence, right = sets.decisions(probabilities, labels)
    assert (confidence.tolist(), right.tolist()) == ([0.9, 0.1], [True, True])


def test_without_a_margin_the_threshold_has_the_whole_share():
    right = np.linspace(0.5, 1.0, 1000)[:, None].repeat(2, axis=1)
    threshold, margin = unknown_thresholds(right, has_margin=False)
    assert margin == 0.0
    assert (right[:, 0] < threshold).mean() == pytest.approx(0.01, abs=2e-3)
    outside = np.full((50, 2), 0.52)
    threshold, margin = unknown_thresholds(right, outside, has_margin=False)
    assert margin == 0.0
    assert 0.52 < threshold < 0.53
