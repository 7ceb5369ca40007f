"""Whether probabilities mean what they say, and which answers are unknown.

Plain NumPy over what a model said and whether it was right.
"""

import numpy as np

BINS = 15
TEMPERATURES = (0.05, 20.0)  # where they are looked for
TINY = 1e-37  # keeps the logarithm of what underflowed finite
# An export rounds otherwise in the last digits: what is at a threshold stays.
SLACK = 1e-5


def temper(probabilities, temperature):
    """Gives `softmax(log(probabilities) / temperature)`.

    The softmax of logits over `temperature`, from the softmax of the logits.

    Args:
        probabilities: float array `(n, classes)`.
        temperature: float.

    Returns:
        float64 array `(n, classes)`.

    Example:

    >>> temper(np.array([[0.9, 0.1]]), 2.0).round(2)
    array([[0.75, 0.25]])
    """
    return _softmax(_logits(probabilities) / temperature)


def fit_temperature(probabilities, labels):
    """Fits the temperature that makes the labels most likely.

    The negative log-likelihood is convex in one over the temperature, so its
    slope is halved in. Each label counts as if one answer more in `n + 2` were
    wrong (Platt's rule): where every answer is right, the fit would otherwise
    claim certainty.

    Args:
        probabilities: float array `(n, classes)`, at temperature 1.
        labels: int array `(n,)`; rows with -1, a class that the model does not
            have, do not count.

    Returns:
        float within 0.05 and 20; 1.0 where there is nothing to fit.

    Example: certain, and right three times in four.

    >>> probabilities = np.array([[0.99, 0.01]] * 400)
    >>> temperature = fit_temperature(probabilities, np.arange(400) % 4 // 3)
    >>> temper(probabilities, temperature)[0].round(2)
    array([0.75, 0.25])

    Reference:
        - [Guo et al., 2017](https://arxiv.org/abs/1706.04599), section 4.2
        - Platt, "Probabilistic Outputs for Support Vector Machines", 1999
    """
    labels = np.asarray(labels)
    logits = _logits(probabilities)[labels >= 0]
    labels = labels[labels >= 0]
    count, classes = logits.shape
    if not count or classes == 1:
        return 1.0
    wrong = 1.0 / (count + 2)
    gold = logits[np.arange(count), labels]
    others = (logits.sum(axis=1) - gold) / (classes - 1)
    wanted = np.mean((1.0 - wrong) * gold + wrong * others)

    def is_too_cold(temperature):
        expected = (_softmax(logits / temperature) * logits).sum(axis=1)
        return expected.mean() > wanted

    low, high = np.log(TEMPERATURES)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if is_too_cold(np.exp(middle)) else (low, middle)
    return float(np.exp(low))


def ece(confidence, right):
    """Gives the expected calibration error, over 15 bins of equal width.

    The mean distance between the answers' mean confidence and the share of
    them that is right, bin by bin.

    Args:
        confidence: float array `(n,)`, within `[0, 1]`.
        right: bool array `(n,)`.

    Returns:
        float; 0.0 is best.

    Example:

    >>> round(ece([0.9] * 4, [True, True, True, False]), 6)
    0.15

    Reference: [Guo et al., 2017](https://arxiv.org/abs/1706.04599), equation 3.
    """
    places = np.minimum((np.asarray(confidence) * BINS).astype(int), BINS - 1)
    excess = np.asarray(confidence) - np.asarray(right, float)
    sums = np.bincount(places, weights=excess, minlength=BINS)
    return float(np.abs(sums).sum() / len(excess))


def brier(confidence, right):
    """Gives the mean squared distance between confidence and being right.

    >>> brier([1.0, 0.5], [True, False])
    0.125

    Reference: Brier, "Verification of Forecasts Expressed in Terms of
    Probability", 1950, with the two outcomes right and wrong, once.
    """
    return float(np.mean((np.asarray(confidence) - np.asarray(right, float)) ** 2))


def auroc(known, unknown):
    """Gives the probability that a known one scores above an unknown one.

    Args:
        known: float array `(n,)`, scores of what should score high.
        unknown: float array `(m,)`.

    Returns:
        float: 0.5 is chance; a tie counts half.

    Example:

    >>> auroc([0.9, 0.8, 0.4], [0.4, 0.1])
    0.9166666666666666
    """
    known, unknown = np.asarray(known), np.sort(unknown)
    below = np.searchsorted(unknown, known, side="left")
    up_to = np.searchsorted(unknown, known, side="right")
    return float((below + up_to).mean() / 2 / len(unknown))


def fpr_at_recall(known, unknown, recall=0.95):
    """Gives the share of unknown ones taken for known at a recall.

    Args:
        known, unknown: see `auroc`.
        recall: float. Share of the known ones at or above the threshold, at
            least. Defaults to `0.95`.

    Returns:
        float; 0.0 is best.

    Example:

    >>> fpr_at_recall([0.9, 0.8, 0.7, 0.1], [0.75, 0.2], recall=0.75)
    0.5
    """
    kept = int(np.ceil(recall * len(known)))
    threshold = np.sort(known)[len(known) - kept]
    return float(np.mean(np.asarray(unknown) >= threshold))


def threshold_that_keeps(scores, share):
    """The highest threshold below which few new scores are to be expected.

    Args:
        scores: float array `(n,)`.
        share: float. Expected share, at most, of new scores from the same
            source that are below.

    Returns:
        float; 0.0, which keeps everything, where `scores` are too few to tell.

    Reference: Papadopoulos et al., "Inductive Confidence Machines for
    Regression", 2002: of `n + 1` such scores each is the k-th with equal chance.
    """
    place = int(share * (len(scores) + 1))
    return float(np.sort(scores)[place - 1] * (1.0 - SLACK)) if place else 0.0


def best_and_margin(probabilities):
    """The best probability of each row and its lead over the second best.

    Args:
        probabilities: float array `(n, classes)`.

    Returns:
        two float arrays `(n,)`.
    """
    padded = np.pad(probabilities, [(0, 0), (0, 1)])  # there may be one class
    second, best = np.sort(padded, axis=1)[:, -2:].T
    return best, best - second


def share_unknown(probabilities, thresholds):
    """Gives the share of utterances that are called unknown.

    Args:
        probabilities: float array `(n, classes)`, calibrated.
        thresholds: `(threshold, margin)`, as `unknown_thresholds` gives them.

    Returns:
        float; 0.0 of no utterances.
    """
    return _share_below(best_and_margin(probabilities), thresholds)


def unknown_thresholds(right, unknown=None, has_margin=True):
    """Chooses the threshold and the margin under which answers are unknown.

    Of utterances that are answered rightly, 1 % at most are expected to be
    called unknown: half for the threshold, half for the margin. Where out of
    scope utterances are at hand, all pairs that cost at most 5 % are
    tried, and the best is taken: that of the greatest share of unknown ones
    found less the share of right ones lost.

    Args:
        right: float array `(n, classes)`, calibrated probabilities of the
            utterances that are answered rightly.
        unknown: float array `(m, classes)`, those of utterances out of scope.
            Defaults to `None`.
        has_margin: bool. Whether there is a margin; where several classes may
            be right at once there is none. Defaults to `True`.

    Returns:
        `(threshold, margin)`, floats for `Calibration`.
    """
    scores = best_and_margin(right)
    if unknown is None:
        shares = (0.005, 0.005) if has_margin else (0.01, 0.0)
        return tuple(map(threshold_that_keeps, scores, shares))
    outside = best_and_margin(unknown)
    shares = np.linspace(0.0, 0.05, 21)
    pairs = [
        (threshold_that_keeps(scores[0], a), threshold_that_keeps(scores[1], b))
        for a in shares
        for b in (shares if has_margin else [0.0])
        if a + b <= 0.05
    ]
    gains = [_share_below(outside, pair) - _share_below(scores, pair) for pair in pairs]
    return pairs[int(np.argmax(gains))]


def _share_below(scores, thresholds):
    best, margin = scores
    is_unknown = (best < thresholds[0]) | (margin < thresholds[1])
    return float(is_unknown.mean()) if len(is_unknown) else 0.0


def _logits(probabilities):
    return np.log(np.maximum(np.asarray(probabilities, np.float64), TINY))


def _softmax(logits):
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
