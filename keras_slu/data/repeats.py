"""Which utterances repeat others, remembered in a few bytes each."""

from array import array

import numpy as np

from keras_slu.data.findings import Finding
from keras_slu.data.findings import place
from keras_slu.data.findings import told


class Keys:
    """Keys, kept as 64-bit hashes in the order in which they were added.

    Among two million keys, two different ones are taken for equal with a
    probability of one in ten million.

    Example:

    >>> keys = Keys()
    >>> keys.extend(["play", "stop", "play"])
    >>> keys.firsts().tolist()
    [0, 1, 0]
    """

    def __init__(self):
        self._hashes = array("q")

    def extend(self, keys):
        """Adds keys, an iterable of anything hashable."""
        self._hashes.extend(map(hash, keys))

    def hashes(self):
        """The hashes, int64 `(keys,)`; others in another process."""
        return np.array(self._hashes, np.int64)

    def firsts(self):
        """For each key the index of the first that equals it, int64 `(keys,)`."""
        hashes = self.hashes()
        order = np.argsort(hashes, kind="stable")
        ordered = hashes[order]
        is_first = np.ones(len(order), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        firsts = np.empty(len(order), np.int64)
        firsts[order] = order[is_first][np.cumsum(is_first) - 1]
        return firsts


class Origins:
    """Origins (`file:line`), kept as numbers in the order they were added."""

    def __init__(self):
        self._files = {}  # a dict for its order and its speed
        self._file_ids = array("i")
        self._lines = array("q")

    def extend(self, origins):
        """Adds origins, an iterable of str."""
        for origin in origins:
            file, line = place(origin)
            self._file_ids.append(self._files.setdefault(file, len(self._files)))
            self._lines.append(line or 0)

    def places(self):
        """Function from the index of an origin to its file and line."""
        files = list(self._files)
        return lambda index: (files[self._file_ids[index]], self._lines[index] or None)


class Repeats:
    """Finds texts that occur again, in whichever split.

    Texts are equal when they are so with their case folded and each stretch
    of white space as one space.
    """

    def __init__(self):
        self._texts = Keys()
        self._labelings = Keys()
        self._origins = Origins()
        self._ends = []  # of the splits

    def end_split(self):
        """Tells that what is added next belongs to another split."""
        self._ends.append(len(self._texts.hashes()))

    def add(self, block):
        """Remembers the utterances of a `Block`, of a dialogue the first turn.

        What a later turn means, the turns before it say; "yes" may come often.
        """
        pairs = zip(block.keys(), block.utterances, strict=True)
        kept = [(key, utterance) for key, utterance in pairs if not utterance.turn]
        self._texts.extend([key for key, _ in kept])
        self._labelings.extend([_labeling(utterance) for _, utterance in kept])
        self._origins.extend([utterance.origin for _, utterance in kept])

    def findings(self):
        """Yields a `Finding` for each repeat, and for each that is labelled anew."""
        labelings = self._labelings.hashes()
        firsts = self._texts.firsts()
        splits = np.searchsorted(self._ends, np.arange(len(firsts)), side="right")
        place_of = self._origins.places()
        for index in (firsts != np.arange(len(firsts))).nonzero()[0]:
            first = firsts[index]
            where, first_place = place_of(index), told(*place_of(first))
            if labelings[index] != labelings[first]:
                yield _two_labelings(where, first_place)
            if splits[index] == splits[first]:
                yield _duplicate(where, first_place)
            else:
                yield _across_splits(where, first_place)


def _labeling(utterance):
    """What two utterances of one text have in common if labelled alike."""
    text = utterance.text
    slots = [(s.name, text[s.start : s.end].casefold()) for s in utterance.slots]
    return frozenset(utterance.intents), tuple(slots)


def _two_labelings(where, first):
    return Finding(
        "two_labelings",
        "warning",
        *where,
        f"the text of {first}, but with other intents or slots",
        "Label both alike, if they mean the same.",
    )


def _duplicate(where, first):
    return Finding(
        "duplicate",
        "warning",
        *where,
        f"repeats {first}",
        "Remove one, unless it is to count twice.",
    )


def _across_splits(where, first):
    return Finding(
        "across_splits",
        "warning",
        *where,
        f"repeats {first}",
        "Remove one: a score on seen text says little of new text.",
    )
