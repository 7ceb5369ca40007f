"""The earlier turns of a dialogue as rows of ids, as models take them."""

from typing import NamedTuple

import numpy as np

HISTORY = ("history_ids", "history_results", "history_turns")  # inputs of models
SENTENCE = -1  # the id of the row that stands for a turn's sentence
NO_RESULT = -1


class HeardTurn(NamedTuple):
    """A turn as it is remembered.

    Args:
        ids: int sequence, the ids of its words.
        intent: int, the result of its sentence, -1 for none.
        tags: int sequence, the results of its words, -1 for none.
    """

    ids: np.ndarray
    intent: int
    tags: np.ndarray


def unheard(ids):
    """A turn of which no results are known, such as a system's."""
    return HeardTurn(ids, NO_RESULT, [NO_RESULT] * len(ids))


def intent_result(intent):
    """The result of a sentence, from labels or answers of an intent head.

    Args:
        intent: int, a class; or array `(intents,)` of 0 and 1, a set. -1
            stands for what is unknown.

    Returns:
        int: the class; or the sum of `2^i` over the intents of the set.

    >>> intent_result(3), intent_result(np.array([1, 0, 1]))
    (3, 5)
    """
    intent = np.asarray(intent)
    if intent.ndim == 0:
        return int(intent)
    if (intent < 0).any():
        return NO_RESULT
    return int((intent.astype(int) << np.arange(len(intent))).sum())


def history_rows(turns, max_history):
    """The rows of earlier turns, the last whole ones that have room.

    A turn that is longer than all of the room is cut at its end.

    Args:
        turns: list of `HeardTurn`, in the order of time.
        max_history: int. Rows that there are.

    Returns:
        int32 array `(3, rows)`: ids, results, and how many turns ago it was;
        `rows` is at most `max_history`.

    >>> history_rows([HeardTurn([7, 9], 1, [0, 4])], 8)
    array([[-1,  7,  9],
           [ 1,  0,  4],
           [ 1,  1,  1]], dtype=int32)
    """
    rows, room = [np.zeros((3, 0), np.int32)], max_history
    for age, turn in enumerate(reversed(turns), 1):
        size = 1 + len(turn.ids)
        if size > room and age > 1:
            break
        ids, results = [SENTENCE, *turn.ids], [turn.intent, *turn.tags]
        rows.append(np.array([ids, results, [age] * size], np.int32)[:, :room])
        room -= rows[-1].shape[1]
    return np.concatenate(rows[::-1], axis=1)
