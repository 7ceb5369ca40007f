"""What a SkillNet's tasks answer to a text, or to a pair of texts."""

from dataclasses import dataclass

import numpy as np

from keras_slu.parsing.frame import Slot
from keras_slu.parsing.frames import slots_of


@dataclass(frozen=True, slots=True)
class Choice:
    """The answer of a classification, of one text or of a pair.

    Args:
        labels: tuple of str, all labels by falling probability.
        probabilities: tuple of float, theirs.
        truncated: bool. Whether a text was cut.
    """

    labels: tuple[str, ...]
    probabilities: tuple[float, ...]
    truncated: bool = False

    @property
    def label(self):
        """The most probable label."""
        return self.labels[0]


@dataclass(frozen=True, slots=True)
class Tagged:
    """The answer of a tagging task.

    Args:
        text: str.
        slots: tuple of `Slot`, by rising `start`.
        truncated: bool. Whether the text was cut.
    """

    text: str
    slots: tuple[Slot, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Passage:
    """The part of a passage that answers a question.

    Args:
        text: str. `passage[start:end]`.
        start, end: int, in code points.
        probability: float.
        no_answer: float. The probability, in the same window of the passage, that
            it holds no answer.
        truncated: bool. Whether the question was cut. Passages never are.
    """

    text: str
    start: int
    end: int
    probability: float
    no_answer: float
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Similarity:
    """How well a candidate suits a question.

    Args:
        score: float. A logit: candidates of one question are ranked by it.
        truncated: bool. Whether a text was cut.
    """

    score: float
    truncated: bool = False


def make_choice(labels, probabilities, truncated):
    """A `Choice` of labels and their probabilities in any order."""
    order = np.argsort(-np.asarray(probabilities), kind="stable")
    return Choice(
        tuple(labels[place] for place in order),
        tuple(float(probabilities[place]) for place in order),
        bool(truncated),
    )


def make_tagged(text, starts, ends, tags, confidence, truncated):
    """A `Tagged` of the words' places, BIO names and confidences."""
    slots = slots_of(text, starts, ends, tags, confidence)
    return Tagged(text, slots, bool(truncated))


def make_passage(passage, windows, truncated):
    """A `Passage`, the most probable of its windows.

    Args:
        passage: str.
        windows: list of dicts with `start` and `end`, places in the passage,
            `probability` and `no_answer`.
        truncated: bool.
    """
    best = max(windows, key=lambda window: float(window["probability"]))
    start, end = int(best["start"]), int(best["end"])
    return Passage(
        passage[start:end],
        start,
        end,
        float(best["probability"]),
        float(best["no_answer"]),
        bool(truncated),
    )
