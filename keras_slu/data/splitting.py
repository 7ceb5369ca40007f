"""Divides utterances into train, dev and test."""

from array import array
from collections import Counter

import numpy as np

from keras_slu.data import iter_utterances
from keras_slu.data.blocks import blocks
from keras_slu.data.repeats import Keys
from keras_slu.data.writers import write
from keras_slu.data.writers.output import new_folder
from keras_slu.errors import InputError
from keras_slu.text.tokenizer import Tokenizer

SPLITS = ("train", "dev", "test")
TRAIN, DEV, TEST = range(3)
KEPT = 3  # different texts of each label that training gets before the others

_ENDINGS = {
    "json-lines": ".jsonl",
    "seq-folder": "",
    "conll": ".conll",
    "rasa-yaml": ".yml",
    "snips-json": ".json",
}


def split(path, folder, dev, test, seed, *, format=None, to="json-lines", watch=None):
    """Divides data into train, dev and test, and writes them to a new folder.

    The data are read once to draw, as `assign` says, and once for each split.
    Utterances keep their order, as far as the format that is written does.

    Args:
        path: path that `keras_slu.data.read` takes.
        folder: path of a folder that is not there yet.
        dev: float. Share of dev; with 0 there is none.
        test: float. Share of test; with 0 there is none.
        seed: int, from 0.
        format: str. The format of `path`. Defaults to what it looks like.
        to: str. The format to write, one of `keras_slu.data.writers.FORMATS`.
        watch: function of `(name, utterances)`, both as they are read, that
            gives the utterances back, to show progress. Defaults to none.

    Returns:
        dict of split names to numbers of utterances.

    Raises:
        InputError: for faulty data, impossible shares or a folder that exists.
            Nothing is written then.
    """

    def utterances(name):
        found = iter_utterances(path, format)
        return found if watch is None else watch(name, found)

    def of(name):
        pairs = zip(utterances(name), chosen.tolist(), strict=True)
        return (utterance for utterance, index in pairs if SPLITS[index] == name)

    ending = _ending(to)
    with new_folder(folder) as temporary:
        chosen = assign(utterances("drawing"), dev, test, seed)
        names = [SPLITS[index] for index in np.unique(chosen)]
        return {
            name: write(of(name), temporary / f"{name}{ending}", to) for name in names
        }


def _ending(format):
    if format not in _ENDINGS:
        raise InputError(
            f"no format {format!r} to write", f"Name one of {', '.join(_ENDINGS)}."
        )
    return _ENDINGS[format]


def assign(utterances, dev, test, seed):
    """Draws which utterances go to train, dev and test.

    Utterances whose texts are equal but for case and white space go together.
    Of each set of intents, dev and test get their share; but the first three
    different texts of each set of intents and of each slot, in the order of
    the draw, stay in training, so rare labels stay there whole. The draw
    depends on the utterances, their order and the seed, on nothing else.

    Args:
        utterances: iterable of `Utterance`, read once. Some 20 bytes of each
            are kept.
        dev: float. Share of dev, from 0.
        test: float. Share of test, from 0; less than 1 with that of dev.
        seed: int, from 0.

    Returns:
        int8 array `(utterances,)` of indices into `SPLITS`.

    Raises:
        InputError: for impossible shares, or when a split that is asked for
            would stay empty.

    Example:

    >>> from keras_slu.data import read
    >>> chosen = assign(read("embedded:home/dev"), dev=0.25, test=0, seed=1)
    >>> round(float((chosen == DEV).mean()), 2)
    0.25
    """
    _check_shares(dev, test)
    texts, intents, slots = _read(utterances)
    firsts = texts.firsts()
    # A group is all utterances of one text; its first one stands for it.
    groups, sizes = np.unique(firsts, return_counts=True)
    order = np.random.default_rng(seed).permutation(len(groups))
    groups, sizes = groups[order], sizes[order]
    strata = intents.ids()[groups]
    stays = _stays(strata, slots.ids()[groups], slots.names())
    split_of = np.full(len(firsts), TRAIN, np.int8)
    split_of[groups] = _draw(strata, sizes, stays, {DEV: dev, TEST: test})
    chosen = split_of[firsts]
    for split, share in ((DEV, dev), (TEST, test)):
        if share and not (chosen == split).any():
            raise InputError(
                f"{len(chosen):,} utterances are too few for a {SPLITS[split]} of "
                f"{share:g}: training needs {KEPT} of each label",
                "Give more utterances, or a larger share.",
            )
    return chosen


def _check_shares(dev, test):
    if dev < 0 or test < 0 or not 0 < dev + test < 1:
        raise InputError(
            f"shares of {dev:g} for dev and {test:g} for test cannot be",
            "Give shares from 0 whose sum is more than 0 and less than 1.",
        )


class _Sets:
    """Sets of names, each known by the order in which it was first added."""

    def __init__(self):
        self._numbers = {}
        self._ids = array("i")

    def add(self, names):
        names = frozenset(names)
        self._ids.append(self._numbers.setdefault(names, len(self._numbers)))

    def ids(self):
        """The id of each set that was added, in that order."""
        return np.array(self._ids)

    def names(self):
        """The set of each id."""
        return list(self._numbers)


def _read(utterances):
    texts, intents, slots = Keys(), _Sets(), _Sets()
    for block in blocks(utterances, Tokenizer()):
        texts.extend(block.keys())
        for utterance in block.utterances:
            intents.add(utterance.intents)
            slots.add(slot.name for slot in utterance.slots)
    return texts, intents, slots


def _stays(strata, slot_ids, slot_sets):
    """Which groups training gets first, so that it has some of each label."""
    seen = Counter()
    stays = np.zeros(len(strata), bool)
    pairs = zip(strata.tolist(), slot_ids.tolist(), strict=True)
    for index, (intents, slots) in enumerate(pairs):
        labels = [intents, *slot_sets[slots]]  # a number and names: never equal
        stays[index] = any(seen[label] < KEPT for label in labels)
        seen.update(labels)
    return stays


def _draw(strata, sizes, stays, shares):
    """Chooses a split for each group, in the order given.

    What a stratum cannot give, the next larger one gives.
    """
    chosen = np.full(len(strata), TRAIN, np.int8)
    owed = dict.fromkeys(shares, 0.0)
    totals = np.bincount(strata, weights=sizes)
    members = np.split(
        np.argsort(strata, kind="stable"), np.cumsum(np.bincount(strata))[:-1]
    )
    for stratum in np.argsort(totals, kind="stable"):
        for split, share in shares.items():
            owed[split] += share * totals[stratum]
        for group in members[stratum][~stays[members[stratum]]].tolist():
            size = sizes[group]
            split = next((s for s in owed if owed[s] >= size / 2), TRAIN)
            if split != TRAIN:
                chosen[group] = split
                owed[split] -= size
    return chosen
