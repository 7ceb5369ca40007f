"""Scores of marks by hand."""

import pytest

from keras_slu.evaluation.mark_scores import mark_scores

MARKS = ["O", "COMMA", "PERIOD", "QUESTION"]


def test_by_hand():
    gold = [0, 1, 1, 2, 2, 2, 0, 0]
    predicted = [1, 1, 0, 2, 2, 1, 0, 2]
    scores = mark_scores(gold, predicted, MARKS)
    assert scores["COMMA"] == {
        "precision": pytest.approx(1 / 3),
        "recall": 0.5,
        "f1": pytest.approx(0.4),
        "support": 2,
    }
    assert scores["PERIOD"]["f1"] == pytest.approx(2 / 3)
    assert scores["QUESTION"] == {"precision": 0, "recall": 0, "f1": 0, "support": 0}
    # All together: 3 right of 6 predicted and 5 gold.
    assert (scores["precision"], scores["recall"]) == (0.5, 0.6)
    assert scores["f1"] == pytest.approx(6 / 11)
    assert scores["words"] == 8


def test_words_without_a_mark_are_not_scored():
    some = mark_scores([1, 2], [1, 1], MARKS)
    more = mark_scores([1, 2] + [0] * 50, [1, 1] + [0] * 50, MARKS)
    assert {**more, "words": 2} == some
