"""Calibration figures against definitions written out, and what is fitted."""

import numpy as np
import pytest

from keras_slu.evaluation.calibration import auroc
from keras_slu.evaluation.calibration import brier
from keras_slu.evaluation.calibration import ece
from keras_slu.evaluation.calibration import fit_temperature
from keras_slu.evaluation.calibration import fpr_at_recall
from keras_slu.evaluation.calibration import share_unknown
from keras_slu.evaluation.calibration import temper
from keras_slu.evaluation.calibration import threshold_that_keeps
from keras_slu.evaluation.calibration import unknown_thresholds


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def sample(count, classes=5, temperature=1.0, seed=0):
    """Logits that claim too much by `temperature`, and labels of the truth."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(count, classes)) * 2
    labels = [rng.choice(classes, p=row) for row in softmax(truth)]
    return truth * temperature, np.array(labels)


def test_tempering_is_the_softmax_of_divided_logits():
    logits, _ = sample(40)
    for temperature in (0.3, 1.0, 4.0):
        np.testing.assert_allclose(
            temper(softmax(logits), temperature), softmax(logits / temperature)
        )


def test_tempering_bears_probabilities_of_zero():
    assert temper(np.array([[1.0, 0.0]]), 2.0)[0, 0] == pytest.approx(1.0)


@pytest.mark.parametrize("temperature", [0.4, 1.0, 3.0])
def test_the_temperature_of_a_sample_is_found(temperature):
    logits, labels = sample(20_000, temperature=temperature)
    found = fit_temperature(softmax(logits), labels)
    assert found == pytest.approx(temperature, rel=0.05)


def test_no_other_temperature_is_likelier():
    logits, labels = sample(3_000, temperature=2.0)
    probabilities = softmax(logits)

    def loss(temperature):
        right = temper(probabilities, temperature)[np.arange(len(labels)), labels]
        return -np.log(right).mean()

    best = fit_temperature(probabilities, labels)
    grid = [loss(t) for t in np.linspace(0.5, 5.0, 451)]
    assert loss(best) < min(grid) + 1e-5


def test_all_right_does_not_become_certain():
    logits = np.where(np.eye(4)[np.arange(100) % 4], 6.0, 0.0)
    temperature = fit_temperature(softmax(logits), np.arange(100) % 4)
    best = temper(softmax(logits), temperature).max(axis=1)
    assert best == pytest.approx(1 - 1 / 102, abs=1e-4)


def test_labels_that_the_model_lacks_do_not_count():
    logits, labels = sample(500, temperature=2.0)
    strange = np.r_[labels, np.full(300, -1)]
    found = fit_temperature(softmax(np.r_[logits, logits[:300] * 9]), strange)
    assert found == fit_temperature(softmax(logits), labels)


@pytest.mark.parametrize(
    "probabilities, labels",
    [
        (np.ones((3, 1)), [0, 0, 0]),
        (np.full((3, 2), 0.5), [-1, -1, -1]),
        (np.ones((0, 4)), []),
    ],
)
def test_nothing_to_fit(probabilities, labels):
    assert fit_temperature(probabilities, labels) == 1.0


def test_calibration_error_by_hand():
    confidence = np.array([0.05, 0.06, 0.50, 0.95, 1.0, 0.97])
    right = np.array([False, True, True, True, True, False])
    # Bins of a fifteenth: the first two, the third alone, the last three.
    by_hand = (2 * abs(0.055 - 0.5) + abs(0.5 - 1) + 3 * abs(2.92 / 3 - 2 / 3)) / 6
    assert ece(confidence, right) == pytest.approx(by_hand)


def test_calibration_error_of_what_is_calibrated_is_small():
    rng = np.random.default_rng(0)
    confidence = rng.random(100_000)
    assert ece(confidence, rng.random(100_000) < confidence) < 0.01
    assert ece(confidence, rng.random(100_000) < confidence**2) > 0.1


def test_brier():
    assert brier([0.8, 0.3], [True, False]) == pytest.approx((0.04 + 0.09) / 2)


def test_auroc_is_the_share_of_ordered_pairs():
    rng = np.random.default_rng(0)
    known, unknown = rng.integers(0, 9, 60) + 2, rng.integers(0, 9, 40)
    pairs = [(a > b) + (a == b) / 2 for a in known for b in unknown]
    assert auroc(known, unknown) == pytest.approx(np.mean(pairs))


def test_false_positives_at_a_recall():
    known, unknown = np.arange(100) / 100, np.arange(10) / 10
    # 95 of the known are at or above 0.05, as are 9 of the 10 unknown.
    assert fpr_at_recall(known, unknown) == 0.9
    assert fpr_at_recall(known, unknown, recall=0.5) == 0.5
    assert fpr_at_recall(known, unknown, recall=1.0) == 1.0


def test_few_new_scores_fall_below_a_threshold():
    rng = np.random.default_rng(0)
    below = []
    for _ in range(300):
        threshold = threshold_that_keeps(rng.random(250), 0.02)
        below.append((rng.random(1_000) < threshold).mean())
    assert 0.015 < np.mean(below) <= 0.0205


def test_too_few_scores_tell_nothing():
    assert threshold_that_keeps(np.full(48, 0.9), 0.02) == 0.0
    assert 0.89 < threshold_that_keeps(np.full(49, 0.9), 0.02) < 0.9


def test_thresholds_without_unknown_ones_lose_one_in_a_hundred():
    logits, labels = sample(8_000)
    probabilities = softmax(logits)
    right = probabilities[probabilities.argmax(axis=1) == labels]
    half = len(right) // 2
    thresholds = unknown_thresholds(right[:half])
    assert 0.002 < share_unknown(right[half:], thresholds) < 0.015


def test_thresholds_with_unknown_ones_find_more_of_them():
    rng = np.random.default_rng(0)
    right = softmax(
        np.eye(5)[rng.integers(5, size=2_000)] * rng.normal(6, 1, (2000, 1))
    )
    unknown = softmax(rng.normal(size=(500, 5)) * 3)
    thresholds = unknown_thresholds(right, unknown)
    assert share_unknown(unknown, thresholds) > 0.7
    assert share_unknown(right, thresholds) <= 0.05
    without = unknown_thresholds(right)
    assert share_unknown(unknown, thresholds) > share_unknown(unknown, without) + 0.05


def test_known_ones_are_not_given_up_for_unknown_ones_that_look_the_same():
    probabilities = softmax(sample(1_000)[0])
    thresholds = unknown_thresholds(probabilities, probabilities)
    assert share_unknown(probabilities, thresholds) <= 0.05


def test_thresholds_of_one_class_and_of_nothing():
    assert share_unknown(np.ones((5, 1)), unknown_thresholds(np.ones((900, 1)))) == 0.0
    assert unknown_thresholds(np.ones((0, 3))) == (0.0, 0.0)
    assert share_unknown(np.ones((0, 3)), (0.5, 0.5)) == 0.0
