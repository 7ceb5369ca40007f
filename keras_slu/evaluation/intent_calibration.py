"""What is fitted of intents: of one class among many, or of a set of them.

Plain NumPy over probabilities and labels; a set has labels of 0 and 1.
"""

from dataclasses import dataclass

import numpy as np

from keras_slu.evaluation.calibration import fit_temperature
from keras_slu.evaluation.calibration import temper

SMALLEST = 1e-7  # in float32, 1 stands for whatever rounds to it


@dataclass(frozen=True)
class FittedIntents:
    """The numbers of an intent head.

    Attributes:
        temperature: float.
        threshold: float. From which probability on an intent is active; `None`
            where one class is the answer.
    """

    temperature: float
    threshold: float | None = None

    def temper(self, probabilities):
        """Calibrates probabilities `(n, classes)` of temperature 1."""
        if self.threshold is None:
            return temper(probabilities, self.temperature)
        return temper(no_and_yes(probabilities), self.temperature)[..., 1]

    def is_right(self, calibrated, labels):
        """Whether an utterance has exactly its own intents, bool `(n,)`."""
        if self.threshold is None:
            return calibrated.argmax(axis=1) == labels
        return ((calibrated >= self.threshold) == labels).all(axis=1)

    def decisions(self, probabilities, labels):
        """What probabilities claim, and whether it holds.

        Returns:
            `(confidence, right)`, float and bool arrays: of each utterance's
            best class; of a set, of each intent of each utterance.
        """
        if self.threshold is None:
            return probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
        is_known = labels >= 0
        return probabilities[is_known], labels[is_known] == 1


def fit_intents(probabilities, labels):
    """Fits an intent head on held-out utterances.

    Args:
        probabilities: float array `(n, classes)`, at temperature 1.
        labels: int array `(n,)`, the class, or `(n, classes)` of 0 and 1; -1
            does not count.

    Returns:
        `FittedIntents`.
    """
    if labels.ndim == 1:
        return FittedIntents(fit_temperature(probabilities, labels))
    pairs = no_and_yes(probabilities).reshape(-1, 2)
    temperature = fit_temperature(pairs, labels.ravel())
    calibrated = temper(no_and_yes(probabilities), temperature)[..., 1]
    return FittedIntents(temperature, active_threshold(calibrated, labels))


def active_threshold(probabilities, labels):
    """Chooses the threshold from which on intents are active.

    That of most utterances with exactly their own intents; of equally good
    ones, that nearest to 0.5.

    Args:
        probabilities: float array `(n, intents)`, calibrated.
        labels: int array `(n, intents)`; see `fit_intents`.

    Returns:
        float between 0.02 and 0.98.

    Example:

    >>> labels = np.array([[1, 1], [1, 0]])
    >>> active_threshold(np.array([[0.9, 0.41], [0.8, 0.1]]), labels)
    0.4
    """
    thresholds = sorted(np.arange(1, 50) / 50, key=lambda value: abs(value - 0.5))
    right = [
        FittedIntents(1.0, threshold).is_right(probabilities, labels).sum()
        for threshold in thresholds
    ]
    return float(thresholds[int(np.argmax(right))])


def no_and_yes(probabilities):
    """The probabilities of both outcomes, one more axis of 2.

    >>> no_and_yes(np.array([0.75, 1.0])).round(2)
    array([[0.25, 0.75],
           [0.  , 1.  ]])
    """
    yes = np.clip(np.asarray(probabilities, float), SMALLEST, 1.0 - SMALLEST)
    return np.stack([1.0 - yes, yes], axis=-1)
