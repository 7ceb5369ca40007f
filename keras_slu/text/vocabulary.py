"""The words a model knows, and their ids."""

from collections import Counter

import numpy as np

from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.files import write_text
from keras_slu.text.endings import MARKER
from keras_slu.text.endings import endings_of
from keras_slu.text.endings import frequent_endings
from keras_slu.text.endings import is_ending
from keras_slu.text.table import SEPARATOR

PADDING = 0
UNKNOWN = 1
FIRST_WORD = 2


class Vocabulary:
    """Maps words to ids: 0 is padding, 1 unknown, the words follow from 2.

    An entry that begins with a tab is no word but an ending. It stands for
    words that are not known and end so, in which all digits are equal; the
    longest counts.

    Args:
        words: iterable of str, folded as the tokenizer folds, in the order of
            their ids. None empty, none twice, none with a separator inside.

    Raises:
        InputError: for words that break these rules, or for no words at all.

    Attributes:
        words: tuple of str, the endings among them.
        longest_ending: int. The characters of the longest; 0 without endings.
        counts: int64 array `(len(vocabulary),)`, how often the training data
            hold each id (what is pruned counts as unknown), as `build` sets
            it. `None` otherwise: it is not saved.

    Example:

    >>> vocabulary = Vocabulary.build("play a song play".split(), min_count=2)
    >>> vocabulary.words, len(vocabulary), vocabulary.counts.tolist()
    (('play',), 3, [0, 2, 2])
    >>> vocabulary.ids(["play", "it"])
    array([2, 1], dtype=int32)
    >>> Vocabulary(["play", "\\tville"]).ids(["play", "it", "laneville"])
    array([2, 1, 3], dtype=int32)
    """

    def __init__(self, words):
        self.words = tuple(words)
        self.counts = None
        _check_words(self.words, file=None)
        self._ids = {word: id for id, word in enumerate(self.words, FIRST_WORD)}
        self.longest_ending = max(
            (len(word) - 1 for word in self.words if is_ending(word)), default=0
        )

    @classmethod
    def build(cls, words, min_count=1, extra=(), longest_ending=0):
        """Makes the vocabulary of training data, pruned to what is needed.

        Args:
            words: iterable of str, every word of the training data, folded.
            min_count: int. Rarer words are left out. Defaults to 1.
            extra: iterable of str, folded: words to keep even so, such as a
                user's list. Defaults to none.
            longest_ending: int. The most characters of the endings that stand
                for words which are not known; 0 for none. Defaults to `0`.

        Returns:
            A `Vocabulary` with its `counts`, words by falling count and, where
            that is equal, by code points; then the endings that ten words have.

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
        ordered = sorted(kept, key=lambda word: (-found[word], word))
        endings = frequent_endings(kept, longest_ending)
        vocabulary = cls(ordered + [MARKER + ending for ending in endings])
        vocabulary.counts = np.zeros(len(vocabulary), np.int64)
        np.add.at(vocabulary.counts, vocabulary.ids(found), list(found.values()))
        return vocabulary

    def __len__(self):
        """The number of ids: the words, padding and unknown."""
        return FIRST_WORD + len(self.words)

    def ids(self, words):
        """Looks words up.

        Args:
            words: iterable of str, folded.

        Returns:
            int32 array `(n,)`; where a word is not known, that of its longest
            known ending, or 1.
        """
        ids = (self._ids.get(word) or self._unknown_id(word) for word in words)
        return np.fromiter(ids, np.int32)

    def ending_ids(self, word):
        """The ids of a word's known endings, the longest first, a list."""
        endings = endings_of(word, self.longest_ending)
        ids = (self._ids.get(MARKER + ending) for ending in endings)
        return [id for id in ids if id is not None]

    def _unknown_id(self, word):
        return next(iter(self.ending_ids(word)), UNKNOWN)

    def unknown_ids(self):
        """What each id would be if its word were not known, int32 `(len(self),)`.

        Padding and endings stay what they are.
        """
        ids = [
            place if is_ending(word) else self._unknown_id(word)
            for place, word in enumerate(self.words, FIRST_WORD)
        ]
        return np.array([PADDING, UNKNOWN, *ids], np.int32)

    def knows(self, word):
        """Whether a word, folded, has an id of its own."""
        return word in self._ids

    def summary(self):
        """How many words and endings there are, a sentence."""
        endings = sum(map(is_ending, self.words))
        words = f"{len(self.words) - endings:,} words"
        return f"{words}, {endings:,} endings of others." if endings else f"{words}."

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
        """Writes the words and endings to `path`, one a line, atomically."""
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
        problem = _problem(word.removeprefix(MARKER), word in seen)
        if problem:
            line = None if file is None else number
            remedy = "Give each word once, folded, as the tokenizer makes it."
            raise InputError(problem, remedy, file=file, line=line)
        seen.add(word)


def _problem(word, is_seen):
    if not word:
        return "an empty word"
    if is_seen:
        return f"the word {word!r} stands twice"
    separator = SEPARATOR.search(word)
    if separator:
        return f"the word {word!r} holds the separator {separator[0]!r}"
    if any("\ud800" <= character <= "\udfff" for character in word):
        return f"the word {word!r} holds a lone surrogate"
    return None
