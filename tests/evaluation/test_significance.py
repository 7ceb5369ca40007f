"""Intervals and tests against other ways to compute them."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from parses import gold
from parses import parsed

from keras_slu.evaluation import score_spans
from keras_slu.evaluation.significance import counts
from keras_slu.evaluation.significance import intervals
from keras_slu.evaluation.significance import mcnemar
from keras_slu.evaluation.significance import paired_bootstrap

UTTERANCES = [
    gold("play hey jude", "play", ("song", 5, 13)),
    gold("play it and stop", "play stop"),
    gold("to rome", "go", ("city", 3, 7)),
    gold("mumble", ""),
]
FRAMES = [
    parsed("play hey jude", "play", ("song", 9, 13, 0.9)),
    parsed("play it and stop", "play", ("song", 5, 7, 0.9)),
    parsed("to rome", "go", ("city", 3, 7, 0.9)),
    parsed("mumble", ""),
]


def slot_rows(triples):
    """Rows with slot hits, slots and predicted slots alone."""
    return np.array([[1, 0, 0, 0, 0, 0, *triple] for triple in triples])


def f1(rows):
    _, _, _, _, _, _, hits, wanted, given = np.sum(rows, axis=0)
    return 2 * hits / (wanted + given) if wanted + given else 0.0


def test_the_sums_give_the_scores():
    sums = counts(UTTERANCES, FRAMES).sum(axis=0)
    assert sums.tolist() == [4, 2, 3, 3, 4, 3, 1, 2, 3]
    scores = score_spans(UTTERANCES, FRAMES).to_dict()
    # Where all rows are alike, so are all resamples: both ends are the figure.
    alike = np.repeat(sums[None], 5, axis=0)
    for figure, ends in intervals(alike).items():
        assert ends == pytest.approx([scores[figure]] * 2)


def test_intervals_are_those_of_a_plain_bootstrap():
    random = np.random.default_rng(5)
    triples = random.integers(0, 3, (60, 3))
    triples[:, 0] = np.minimum(triples[:, 0], triples[:, 1:].min(axis=1))
    rows = slot_rows(triples)
    drawn = [f1(rows[random.integers(0, 60, 60)]) for _ in range(4000)]
    expected = np.percentile(drawn, [2.5, 97.5])
    np.testing.assert_allclose(intervals(rows)["slot_f1"], expected, atol=0.02)


def test_an_interval_of_accuracy_is_that_of_a_binomial():
    rows = np.zeros((400, 9), int)
    rows[:, 0] = 1
    rows[:300, 1] = 1
    low, high = intervals(rows)["overall_accuracy"]
    spread = 1.96 * np.sqrt(0.75 * 0.25 / 400)
    assert low == pytest.approx(0.75 - spread, abs=0.006)
    assert high == pytest.approx(0.75 + spread, abs=0.006)


def test_no_slots_at_all_give_zero_and_no_warning():
    assert intervals(slot_rows([(0, 0, 0)] * 4))["slot_f1"] == [0.0, 0.0]


def test_the_seed_alone_decides():
    rows = slot_rows([(1, 1, 1), (0, 1, 0), (1, 2, 1)] * 5)
    assert intervals(rows, seed=3) == intervals(rows, seed=3)
    assert intervals(rows, seed=3) != intervals(rows, seed=4)


def test_a_paired_bootstrap_is_the_whole_enumeration():
    first = slot_rows([(1, 1, 1), (0, 1, 1), (1, 2, 1), (0, 1, 0)])
    second = slot_rows([(1, 1, 1), (1, 1, 1), (2, 2, 2), (0, 1, 0)])
    observed = f1(second) - f1(first)
    # All 4^4 resamples are equally likely.
    drawn = [
        f1(second[list(places)]) - f1(first[list(places)])
        for places in product(range(4), repeat=4)
    ]
    expected = np.mean(np.abs(np.array(drawn) - observed) >= observed - 1e-12)
    result = paired_bootstrap(first, second, "slot_f1")
    assert result["difference"] == pytest.approx(observed)
    assert result["p_value"] == pytest.approx(expected, abs=0.03)
    low, high = result["interval"]
    assert low == pytest.approx(np.percentile(drawn, 2.5), abs=0.05)
    assert high == pytest.approx(np.percentile(drawn, 97.5), abs=0.05)


def test_pairs_are_kept_together():
    """Independent resamples of two noisy but always equal systems differ."""
    triples = np.random.default_rng(2).integers(0, 2, (50, 1)) * [1, 1, 1] + [0, 1, 0]
    rows = slot_rows(triples)
    result = paired_bootstrap(rows, rows, "slot_f1")
    assert result == {"difference": 0.0, "interval": [0.0, 0.0], "p_value": 1.0}


def test_a_clear_difference_is_significant_and_chance_is_not():
    worse = slot_rows([(0, 1, 1)] * 30 + [(1, 1, 1)] * 70)
    better = slot_rows([(1, 1, 1)] * 28 + [(0, 1, 1)] * 2 + [(1, 1, 1)] * 70)
    assert paired_bootstrap(worse, better, "slot_f1")["p_value"] < 0.001
    swapped = slot_rows([(1, 1, 1)] * 14 + [(0, 1, 1)] * 16 + [(0, 1, 1)] * 17)
    other = slot_rows([(0, 1, 1)] * 14 + [(0, 1, 1)] * 16 + [(1, 1, 1)] * 17)
    assert paired_bootstrap(swapped, other, "slot_f1")["p_value"] > 0.4


def discordant(first, second):
    right = [True] * first + [False] * second + [True, False]
    other = [False] * first + [True] * second + [True, False]
    return mcnemar(right, other)


@pytest.mark.parametrize(
    ("first", "second", "p_value"),
    [(0, 0, 1.0), (1, 0, 1.0), (0, 5, 2 / 32), (1, 7, 18 / 256), (4, 4, 1.0)],
)
def test_mcnemar_by_hand(first, second, p_value):
    assert discordant(first, second) == {
        "only_first": first,
        "only_second": second,
        "p_value": p_value,
    }


@given(st.integers(0, 60), st.integers(0, 60))
@settings(deadline=None, max_examples=40)
def test_mcnemar_is_the_binomial_test(first, second):
    stats = pytest.importorskip("scipy.stats")
    expected = stats.binomtest(first, first + second).pvalue if first + second else 1.0
    assert discordant(first, second)["p_value"] == pytest.approx(expected)


def test_mcnemar_of_thousands():
    result = discordant(5000, 5400)
    # The normal approximation, with continuity correction.
    assert result["p_value"] == pytest.approx(9.2e-5, rel=0.05)
