"""Precision, recall and F1 of punctuation marks."""

import numpy as np


def mark_scores(gold, predicted, marks):
    """Scores of each mark and of all together.

    A word counts for a mark only where it is the gold or the predicted one;
    no mark, class 0, is not scored.

    Args:
        gold, predicted: int arrays `(words,)`, classes by place in `marks`.
        marks: list of str, the classes; the first is no mark.

    Returns:
        dict: `words`, `precision`, `recall` and `f1` over all marks (micro),
        fractions, and for each mark its `precision`, `recall`, `f1` and
        `support`. A score with nothing to divide by is 0.

    Example:

    >>> scores = mark_scores([0, 1, 2, 1], [1, 1, 2, 0], ["O", "COMMA", "PERIOD"])
    >>> scores["COMMA"]
    {'precision': 0.5, 'recall': 0.5, 'f1': 0.5, 'support': 2}
    >>> round(scores["f1"], 3)
    0.667
    """
    gold, predicted = np.asarray(gold), np.asarray(predicted)
    counts = {}
    for place, mark in enumerate(marks[1:], 1):
        is_gold, is_predicted = gold == place, predicted == place
        counts[mark] = [
            int((is_gold & is_predicted).sum()),
            int(is_predicted.sum()),
            int(is_gold.sum()),
        ]
    scores = {"words": len(gold), **_scores(*np.sum(list(counts.values()), axis=0))}
    for mark, of_mark in counts.items():
        scores[mark] = {**_scores(*of_mark), "support": of_mark[2]}
    return scores


def _scores(right, predicted, gold):
    return {
        "precision": float(right / max(predicted, 1)),
        "recall": float(right / max(gold, 1)),
        "f1": float(2 * right / max(predicted + gold, 1)),
    }
