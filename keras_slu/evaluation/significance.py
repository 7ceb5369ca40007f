"""How far chance explains a score, or the difference of two.

Every figure is a ratio of sums over utterances, so a bootstrap needs but few
integers of each. Utterances with the same integers are interchangeable: a
resample is one multinomial draw over the distinct rows, which is exact and
costs the same for a thousand utterances as for a million.
"""

import numpy as np

from keras_slu.evaluation.errors import intents_right
from keras_slu.evaluation.errors import span

RESAMPLES = 2000
COLUMNS = (
    "utterances",  # 1 in each row
    "all_right",
    "intents_right",
    "intent_hits",
    "intents",
    "predicted_intents",
    "slot_hits",
    "slots",
    "predicted_slots",
)
# The columns that are added up above and below each figure's line.
FIGURES = {
    "overall_accuracy": (["all_right"], ["utterances"]),
    "intent_accuracy": (["intents_right"], ["utterances"]),
    "intent_f1": (["intent_hits"] * 2, ["intents", "predicted_intents"]),
    "slot_precision": (["slot_hits"], ["predicted_slots"]),
    "slot_recall": (["slot_hits"], ["slots"]),
    "slot_f1": (["slot_hits"] * 2, ["slots", "predicted_slots"]),
}


def counts(utterances, frames):
    """Counts what the figures are made of, an utterance a row.

    Args:
        utterances: list of `Utterance`, the gold.
        frames: as many `Frame`.

    Returns:
        int64 array `(utterances, 9)`, the `COLUMNS`.
    """
    rows = []
    for utterance, frame in zip(utterances, frames, strict=True):
        intents, answer = set(utterance.intents), set(frame.active_intents)
        gold, predicted = set(map(span, utterance.slots)), set(map(span, frame.slots))
        right = intents_right(utterance, frame)
        row = [1, right and gold == predicted, right]
        for wanted, given in ((intents, answer), (gold, predicted)):
            row += [len(wanted & given), len(wanted), len(given)]
        rows.append(row)
    return np.array(rows, np.int64)


def intervals(rows, seed=0, level=0.95):
    """Bootstrap intervals of every figure, over utterances.

    Args:
        rows: int array `(utterances, 9)`, from `counts`.
        seed: int. Defaults to 0.
        level: float. Share of the resamples inside. Defaults to 0.95.

    Returns:
        dict, figure to `[low, high]`, percentiles of 2,000 resamples.

    Example:

    >>> rows = np.array([[1, 1, 1, 1, 1, 1, 0, 0, 0]] * 50
    ...                 + [[1, 0, 0, 0, 1, 1, 0, 0, 0]] * 50)
    >>> low, high = intervals(rows)["intent_accuracy"]
    >>> 0.39 <= low < 0.5 < high <= 0.61
    True

    Reference: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
    chapter 13.
    """
    sums = _resampled(rows, seed)
    tail = 50 * (1 - level)
    return {
        name: np.percentile(_ratio(sums, name), [tail, 100 - tail]).tolist()
        for name in FIGURES
    }


def paired_bootstrap(rows, other_rows, figure, seed=0, level=0.95):
    """Tests the difference of a figure between two systems on one data set.

    Both systems are scored on the same resamples of utterances. The p-value is
    the share of resamples whose difference is at least as far from the
    observed one as that is from zero.

    Args:
        rows, other_rows: int arrays `(utterances, 9)`, from `counts`.
        figure: str, a key of `FIGURES`.
        seed: int. Defaults to 0.
        level: float. Share of the resamples inside. Defaults to 0.95.

    Returns:
        dict: `difference` of the figure, other minus first; its `interval`,
        `[low, high]`; `p_value`, two-sided.

    Reference: Berg-Kirkpatrick et al., "An Empirical Investigation of
    Statistical Significance in NLP", 2012, section 2.
    """
    width = rows.shape[1]
    both = np.concatenate([rows, other_rows], axis=1)

    def difference(sums):
        return _ratio(sums[:, width:], figure) - _ratio(sums[:, :width], figure)

    observed = float(difference(both.sum(0, keepdims=True))[0])
    drawn = difference(_resampled(both, seed))
    tail = 50 * (1 - level)
    # Equal up to rounding counts as equal, as it does on paper.
    extreme = np.abs(drawn - observed) >= abs(observed) - 1e-12
    return {
        "difference": observed,
        "interval": np.percentile(drawn, [tail, 100 - tail]).tolist(),
        "p_value": float((extreme.sum() + 1) / (len(drawn) + 1)),
    }


def mcnemar(right, other_right):
    """McNemar's exact test of two systems' right answers on one data set.

    Where only one of the two is right, either is as likely if they are equally
    good: the p-value is that of a binomial with probability 1/2, two-sided.

    Args:
        right, other_right: bool arrays `(utterances,)`.

    Returns:
        dict: `only_first`, `only_second`, how often only that one is right;
        `p_value`.

    Example:

    >>> first, second = [True] * 9 + [False], [True] * 4 + [False] * 6
    >>> mcnemar(first, second)
    {'only_first': 5, 'only_second': 0, 'p_value': 0.0625}

    Reference: McNemar, "Note on the Sampling Error of the Difference Between
    Correlated Proportions or Percentages", 1947, in its exact form.
    """
    right, other_right = np.asarray(right, bool), np.asarray(other_right, bool)
    first = int(np.sum(right & ~other_right))
    second = int(np.sum(~right & other_right))
    trials = first + second
    term, total = 1, 1  # binomial coefficients, exact
    for k in range(1, min(first, second) + 1):
        term = term * (trials - k + 1) // k
        total += term
    return {
        "only_first": first,
        "only_second": second,
        "p_value": min(1.0, 2 * total / 2**trials),
    }


def _resampled(rows, seed):
    """Sums of the rows of each resample, `(RESAMPLES, columns)`."""
    distinct, numbers = np.unique(rows, axis=0, return_counts=True)
    random = np.random.default_rng(seed)
    drawn = random.multinomial(len(rows), numbers / len(rows), size=RESAMPLES)
    return drawn @ distinct


def _ratio(sums, figure):
    """A figure of each row of sums; `0 / 0` is 0."""
    part, whole = (
        sums[:, [COLUMNS.index(name) for name in names]].sum(1)
        for names in FIGURES[figure]
    )
    return np.divide(part, whole, out=np.zeros(len(sums)), where=whole > 0)
