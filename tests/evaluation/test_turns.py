"""Scores by turn, and the count of tags that do not belong together."""

import pytest

from keras_slu.evaluation import Labels
from keras_slu.evaluation.turns import scores_by_turn
from keras_slu.evaluation.turns import uncoordinated


def test_each_turn_is_scored_by_itself():
    turns = [0, 1, 2, 0, 1, 5, 6, 9]
    gold = [Labels(("O",), ("a",))] * len(turns)
    right = [True, False, True, True, True, True, False, False]
    predicted = [Labels(("O",), ("a" if is_right else "b",)) for is_right in right]
    scores = scores_by_turn(turns, gold, predicted)
    assert list(scores) == ["1", "2", "3", "6+"]
    assert [score.utterances for score in scores.values()] == [2, 2, 1, 3]
    found = [score.overall_accuracy for score in scores.values()]
    assert found == pytest.approx([1.0, 0.5, 1.0, 1 / 3])


@pytest.mark.parametrize(
    ("tags", "count"),
    [
        (["B-a", "I-a", "I-a", "O", "B-b"], 0),
        (["I-a", "I-a"], 1),
        (["B-a", "I-b", "I-b"], 1),
        (["O", "I-a", "O", "I-a"], 2),
        (["B-a", "I-a-b"], 1),
        ([], 0),
    ],
)
def test_tags_that_continue_nothing_or_another_slot(tags, count):
    assert uncoordinated(tags) == count
