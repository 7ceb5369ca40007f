"""Reads a transcript that comes in parts as words and what a model reads."""

from typing import NamedTuple

import numpy as np

from keras_slu.parsing.marked_word import MarkedWord
from keras_slu.text.spoken_words import spoken_words
from keras_slu.text.table import SEPARATOR

BLOCK = 2**16  # characters that are read at a time


class Words(NamedTuple):
    """Some words of a transcript.

    Args:
        words: list of `MarkedWord`, without their marks.
        ids: int32 `(pieces,)`.
        pieces: list of int, how many of `ids` are those of each word.
    """

    words: list[MarkedWord]
    ids: np.ndarray
    pieces: list[int]


class WordReader:
    """Reads the parts of one transcript, each of which ends between words.

    Args:
        tokenizer: `Tokenizer` of mode `"unicode"`.
        vocabulary: `Vocabulary` or `PieceVocabulary`.

    Attributes:
        gap: str. The separators after the last word that was read.
        place: int. How many code points were read.
    """

    def __init__(self, tokenizer, vocabulary):
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary
        self.gap = ""
        self.place = 0

    def read(self, text):
        """Reads the next part, `Words`."""
        found = spoken_words(text, self._tokenizer)
        words, last = [], 0
        spans = zip(found.starts.tolist(), found.ends.tolist(), strict=True)
        for start, end in spans:
            gap, self.gap = self.gap + text[last:start], ""
            place = self.place + start
            words.append(MarkedWord(text[start:end], place, place + end - start, gap))
            last = end
        self.gap += text[last:]
        self.place += len(text)
        ids, word = found.read(self._vocabulary)
        return Words(words, ids, np.bincount(word, minlength=len(words)).tolist())


def whole_words(parts):
    """Cuts text that comes in any parts anew, between words.

    Args:
        parts: iterable of str.

    Yields:
        str, of about 65,000 code points where words are not longer: together
        they are the text, and each but the last ends with a separator.
    """
    held = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size < BLOCK:
            continue
        text = "".join(held)
        cut = last_separator(text)
        if cut:
            yield text[:cut]
        held, size = [text[cut:]], 0  # to wait for a block more of a long word
    yield "".join(held)


def last_separator(text):
    """The place behind the last separator, 0 if there is none."""
    for place in range(len(text), 0, -1):
        if SEPARATOR.match(text[place - 1]):
            return place
    return 0
