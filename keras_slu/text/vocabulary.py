"""The words a model knows, and their ids."""

from collections import Counter

import numpy as np

from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.files import write_text
from keras_slu.text.table import SEPARATOR

PADDING = 0
UNKNOWN = 1
FIRST_WORD = 2


class Vocabulary:
    """Maps words to ids: 0 is padding, 1 unknown, the words follow from 2.

    Args:
        words: iterable of str, folded as the tokenizer folds, in the order of
            their ids. None empty, none twice, none with a separator inside.

    Raises:
        InputError: for words that break these rules, or for no words at all.

    Attributes:
        words: tuple of str.
        counts: int64 array `(len(vocabulary),)`, how often the training data
            hold each id (what is pruned counts as unknown), as `build` sets
            it. `None` otherwise: it is not saved.

    Example:

    >>> vocabulary = Vocabulary.build("play a song play".split(), min_count=2)
    >>> vocabulary.words, len(vocabulary), vocabulary.counts.tolist()
    (('play',), 3, [0, 2, 2])
    >>> vocabulary.ids(["play", "it"])
    array([2, 1], dtype=int32)
    """

    def __init__(self, words):
        self.words = tuple(words)
        self.counts = None
        _check_words(self.words, file=None)
        self._ids = {word: id for id, word in enumerate(self.words, FIRST_WORD)}

    @classmethod
    def build(cls, words, min_count=1, extra=()):
        """Makes the vocabulary of training data, pruned to what is needed.

        Args:
            words: iterable of str, every word of the training data, folded.
            min_count: int. Rarer words are left out. Defaults to 1.
            extra: iterable of str, folded: words to keep even so, such as a
                user's list. Defaults to none.

        Returns:
            A `Vocabulary` with its `counts`, words by falling count and, where
            that is equal, by code points.

        Raises:
            InputError: when no word is left, or one breaks the rules.
        """
        found = Counter(words)
        kept = {word for word, count in found.items() if count >= min_count}
        kept.update(extra)
        if not kept:
            raise InputError(
                f"none of {len(found)} words occurs {min_count} times",
                "Lower min_count, or give more training data.",
            )
        vocabulary = cls(sorted(kept, key=lambda word: (-found[word], word)))
        counts = [found[word] for word in vocabulary.words]
        unknown = sum(found.values()) - sum(counts)
        vocabulary.counts = np.array([0, unknown, *counts], np.int64)
        return vocabulary

    def __len__(self):
        """The number of ids: the words, padding and unknown."""
        return FIRST_WORD + len(self.words)

    def ids(self, words):
        """Looks words up.

        Args:
            words: iterable of str, folded.

        Returns:
            int32 array `(n,)`, 1 where a word is not known.
        """
        return np.array([self._ids.get(word, UNKNOWN) for word in words], np.int32)

    def fitting(self, words):
        """How many of the words a model has room for: all."""
        return len(words)

    def split(self, words):
        """The ids of words, and how many each has, which is one."""
        ids = self.ids(words)
        return ids, np.ones_like(ids)

    def pack(self, token_ids):
        """Rows of ids `(rows, words)` as a model's inputs, a dict of arrays."""
        return {"token_ids": token_ids}

    def save(self, path):
        """Writes the words to `path`, one a line, atomically."""
        write_text(path, "".join(f"{word}\n" for word in self.words))

    @classmethod
    def load(cls, path):
        """Reads what `save` wrote.

        Raises:
            InputError: when the file is missing or damaged, with the line.
        """
        words = [word for _, word in read_lines(path)]
        _check_words(words, file=path)
        return cls(words)


def _check_words(words, file):
    """Checks the rules; with a file, word n is its line n."""
    if not words:
        raise InputError("holds no words", "Give it at least one.", file=file)
    seen = set()
    for number, word in enumerate(words, 1):
        problem = _problem(word, seen)
        if problem:
            line = None if file is None else number
            remedy = "Give each word once, folded, as the tokenizer makes it."
            raise InputError(problem, remedy, file=file, line=line)
        seen.add(word)


def _problem(word, seen):
    if not word:
        return "an empty word"
    if word in seen:
        return f"the word {word!r} stands twice"
    separator = SEPARATOR.search(word)
    if separator:
        return f"the word {word!r} holds the separator {separator[0]!r}"
    if any("\ud800" <= character <= "\udfff" for character in word):
        return f"the word {word!r} holds a lone surrogate"
    return None
