"""Scores of dialogues by turn, and tags that do not belong together."""

from itertools import pairwise

from keras_slu.data.tags import split_tag
from keras_slu.evaluation.scores import score

LAST = 6  # this turn and all after it count together


def scores_by_turn(turns, gold, predicted):
    """Scores the first turns of dialogues, the second ones and so on.

    Args:
        turns: sequence of int, the turn of each utterance, 0 for the first.
        gold, predicted: sequences of `Labels`, as many.

    Returns:
        dict of `Scores` by `"1"`, `"2"`, ..., `"6+"`, those that occur.
    """
    groups = {}
    for place, turn in enumerate(turns):
        groups.setdefault(min(turn + 1, LAST), []).append(place)
    return {
        f"{turn}+" if turn == LAST else str(turn): score(
            [gold[place] for place in groups[turn]],
            [predicted[place] for place in groups[turn]],
        )
        for turn in sorted(groups)
    }


def uncoordinated(tags):
    """Counts the `I-` tags that continue nothing, or another slot.

    >>> uncoordinated(["B-city", "I-city", "I-day", "O", "I-day"])
    2
    """
    parts = [("O", ""), *map(split_tag, tags)]
    return sum(
        kind == "I" and before[1] != name for before, (kind, name) in pairwise(parts)
    )
