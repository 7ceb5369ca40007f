"""What labelled data hold: counts, lengths, unknown words, co-occurring labels."""

from array import array
from collections import Counter

import numpy as np

from keras_slu.data import iter_utterances
from keras_slu.data.blocks import blocks
from keras_slu.text.tokenizer import Tokenizer


def statistics(paths, *, format=None, tokenizer=None, watch=None):
    """Counts what splits hold, in one pass.

    Memory grows with the number of different words, and by 4 bytes an
    utterance. Words are compared with their case folded.

    Args:
        paths: dict of split names to paths that `keras_slu.data.read` takes,
            training first: unknown words are those that the first lacks.
        format: str. The name of the data's format. Defaults to what the data
            look like.
        tokenizer: `Tokenizer` for text that comes without tokens. Defaults to
            one of mode `"unicode"`.
        watch: function of `(split, utterances)`, both as they are read, that
            gives the utterances back, to show progress. Defaults to none.

    Returns:
        dict, ready for `json.dumps`:

        - `splits`: for each its `utterances`, `with_several_intents`,
          `without_intent`, `without_slots`, `slots`, `tokens`, `words` (the
          different ones), `length` in tokens (`mean`, `median`, `p90`, `p99`,
          `max`) and, but for the first, `unknown_tokens` and `unknown_words`,
          both fractions.
        - `intents`: for each set of intents, joined by `#`, its utterances in
          each split.
        - `slots`: for each slot name its spans in each split.
        - `cooccurrence`: for each single intent and each slot name the
          utterances that have both, in all splits together.

    Raises:
        InputError: for faulty data, with file and line.

    Example:

    >>> statistics({"dev": "embedded:home/dev"})["splits"]["dev"]["length"]["max"]
    18
    """
    tokenizer = tokenizer or Tokenizer()
    splits = {}
    for split, path in paths.items():
        utterances = iter_utterances(path, format=format)
        if watch is not None:
            utterances = watch(split, utterances)
        splits[split] = _Split()
        for block in blocks(utterances, tokenizer):
            splits[split].add(block)
    known = next(iter(splits.values())).words
    return {
        "splits": {
            split: counts.summary(known if counts.words is not known else None)
            for split, counts in splits.items()
        },
        "intents": _by_split(splits, "intents", _spellings(splits)),
        "slots": _by_split(splits, "slots", {}),
        "cooccurrence": _cooccurrence(splits.values()),
    }


class _Split:
    """What one split holds."""

    def __init__(self):
        self.lengths = array("i")
        self.words = Counter()
        self.intents = Counter()  # of frozen sets
        self.spellings = {}
        self.slots = Counter()
        self.pairs = Counter()
        self.without_slots = 0

    def add(self, block):
        self.lengths.extend(block.lengths.tolist())
        self.words.update(block.words())
        for utterance in block.utterances:
            intents = frozenset(utterance.intents)
            names = [slot.name for slot in utterance.slots]
            self.spellings.setdefault(intents, "#".join(utterance.intents))
            self.intents[intents] += 1
            self.slots.update(names)
            self.without_slots += not names
            self.pairs.update([(i, name) for i in intents for name in set(names)])

    def summary(self, known):
        lengths = np.array(self.lengths)
        several = [count for intents, count in self.intents.items() if len(intents) > 1]
        found = {
            "utterances": len(lengths),
            "with_several_intents": sum(several),
            "without_intent": self.intents[frozenset()],
            "without_slots": self.without_slots,
            "slots": self.slots.total(),
            "tokens": int(lengths.sum()),
            "words": len(self.words),
            "length": _length(lengths),
        }
        if known is not None:
            unknown = [count for w, count in self.words.items() if w not in known]
            found["unknown_tokens"] = sum(unknown) / max(found["tokens"], 1)
            found["unknown_words"] = len(unknown) / max(found["words"], 1)
        return found


def _length(lengths):
    shares = {"median": 50, "p90": 90, "p99": 99, "max": 100}
    # A percentile is a length that occurs, not one between two.
    values = np.percentile(lengths, list(shares.values()), method="inverted_cdf")
    return {
        "mean": float(lengths.mean()),
        **dict(zip(shares, map(int, values), strict=True)),
    }


def _spellings(splits):
    """How each set of intents is first written, in any split."""
    found = {}
    for counts in splits.values():
        found = {**counts.spellings, **found}
    return found


def _by_split(splits, which, names):
    """Counts of each label in each split, by falling total, then by name."""
    tables = {split: getattr(counts, which) for split, counts in splits.items()}
    total = sum(tables.values(), Counter())
    rows = sorted((-total[label], names.get(label, label), label) for label in total)
    return {
        name: {split: table[label] for split, table in tables.items()}
        for _, name, label in rows
    }


def _cooccurrence(splits):
    pairs = sum((counts.pairs for counts in splits), Counter())
    found = {}
    for (intent, slot), count in sorted(pairs.items(), key=lambda p: (-p[1], p[0])):
        found.setdefault(intent, {})[slot] = count
    return dict(sorted(found.items()))
