"""From a model's answer to a Frame, the same for a run and for its exports."""

import numpy as np

from keras_slu.data.encoding import intent_set
from keras_slu.data.tags import chunks
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot


class FrameMaker:
    """Gives the answers of a model their names.

    An answer is what `JointSLU.decode` gives for one utterance, as a dict of
    arrays without the batch: `intent_probabilities` `(classes,)`, `tags` ids
    and `slot_confidence` `(tokens,)`, `is_unknown`; `truncated`; and of a model
    with a sigmoid `intent_active` `(classes,)`.

    Args:
        classes: list of str. The intent head's classes.
        tags: list of str. The slot head's BIO tags.

    Attributes:
        intents: list of str. The single intents that the classes are made of,
            by name.
        members: float64 array `(classes, intents)`, 1 where an intent is one
            of a class's. Class probabilities times it are the intents'.

    Example:

    >>> maker = FrameMaker(["play", "play#stop"], ["O", "B-song"])
    >>> answer = {"intent_probabilities": np.array([0.75, 0.25]), "tags": [0, 1],
    ...           "slot_confidence": [1.0, 0.5], "is_unknown": False,
    ...           "truncated": False}
    >>> frame = maker.frame("play it", [0, 5], [4, 7], answer)
    >>> frame.intents[1]
    Intent(name='stop', probability=0.25, active=False)
    >>> frame.slots
    (Slot(name='song', value='it', start=5, end=7, confidence=0.5),)
    """

    def __init__(self, classes, tags):
        self._tags = list(tags)
        self._classes = [intent_set(name) for name in classes]
        self.intents = sorted({name for names in self._classes for name in names})
        self.members = np.array(
            [[name in names for name in self.intents] for names in self._classes],
            np.float64,
        ).reshape(len(self._classes), len(self.intents))

    def named(self, answer, length):
        """An answer with names.

        Args:
            answer: dict; see the class.
            length: int. The number of tokens of the utterance.

        Returns:
            dict: `answer` with `tags`, a list of `length` BIO names, `O` for
            tokens that were cut, and `intents`, those of the most probable
            class or, of a sigmoid, the active ones.
        """
        names = [self._tags[tag] for tag in answer["tags"][:length]]
        names += ["O"] * (length - len(names))
        return {**answer, "intents": self._intents(answer), "tags": names}

    def _intents(self, answer):
        if "intent_active" in answer:
            active = np.flatnonzero(answer["intent_active"])
            return tuple(name for place in active for name in self._classes[place])
        return self._classes[int(answer["intent_probabilities"].argmax())]

    def frame(self, text, starts, ends, answer):
        """Makes the Frame of an answer.

        Args:
            text: str.
            starts, ends: int arrays `(tokens,)`, where the tokens stand in
                `text`; from the first -1 on, padding.
            answer: dict; see the class.

        Returns:
            `Frame`.
        """
        answer = self.named(answer, int((np.asarray(starts) >= 0).sum()))
        return Frame(
            text,
            self._ranking(answer),
            slots_of(text, starts, ends, answer["tags"], answer["slot_confidence"]),
            is_unknown=bool(answer["is_unknown"]),
            truncated=bool(answer["truncated"]),
        )

    def _ranking(self, answer):
        probabilities = answer["intent_probabilities"] @ self.members
        return tuple(
            Intent(
                name=self.intents[place],
                probability=min(float(probabilities[place]), 1.0),
                active=self.intents[place] in answer["intents"],
            )
            for place in np.argsort(-probabilities, kind="stable")
        )


def slots_of(text, starts, ends, tags, confidence):
    """The slots that tags name.

    Args:
        text: str.
        starts, ends: int arrays `(tokens,)`.
        tags: sequence of str. BIO names; anything else reads as `O`.
        confidence: float array `(tokens,)`.

    Returns:
        tuple of `Slot`.
    """
    slots = []
    for name, first, end in chunks(tags):
        start, stop = int(starts[first]), int(ends[end - 1])
        sure = min(float(confidence[first]), 1.0)
        slots.append(Slot(name, text[start:stop], start, stop, sure))
    return tuple(slots)


def frame_of_export(text, answer):
    """Makes the Frame of an exported model's answer for one text.

    Args:
        text: str.
        answer: dict of sequences, a row of the outputs of `serving_default`,
            strings as str.

    Returns:
        `Frame`.
    """
    ranking = zip(
        answer["intents"],
        answer["intent_probabilities"],
        answer["intent_active"],
        strict=True,
    )
    return Frame(
        text,
        tuple(
            Intent(name, float(probability), bool(active))
            for name, probability, active in ranking
        ),
        slots_of(
            text,
            answer["starts"],
            answer["ends"],
            answer["tags"],
            answer["slot_confidence"],
        ),
        is_unknown=bool(answer["is_unknown"]),
        truncated=bool(answer["truncated"]),
    )
