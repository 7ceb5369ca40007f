"""A text as words, and what a punctuation model reads of them."""

from typing import NamedTuple

import numpy as np

from keras_slu.text.table import SINGLE
from keras_slu.text.table import SPACE
from keras_slu.text.tokenizer import code_points


class SpokenWords(NamedTuple):
    """The words of a text, and the pieces that the tokenizer parts them in.

    A word is what stands between separators. Its pieces are its letters and
    digits as the tokenizer parts them; punctuation, symbols and emoji in it
    are no pieces, so that a text reads alike with its marks and without. A
    word may have no pieces.

    Args:
        starts, ends: int32 `(words,)`, offsets in code points, ends exclusive.
        folded: list of str, the pieces, folded.
        word: int32 `(pieces,)`, the number of each one's word, from 0.
    """

    starts: np.ndarray
    ends: np.ndarray
    folded: list[str]
    word: np.ndarray

    def read(self, vocabulary):
        """What a model with this vocabulary reads of the words.

        Args:
            vocabulary: `Vocabulary`, or `PieceVocabulary`, which parts the
                pieces further.

        Returns:
            `(ids, word)`, int32 `(pieces,)` both.
        """
        ids, counts = vocabulary.split(self.folded)
        return ids, np.repeat(self.word, counts)


def spoken_words(text, tokenizer):
    """Finds the words of a text and their pieces.

    Args:
        text: str.
        tokenizer: `Tokenizer` of mode `"unicode"`.

    Returns:
        `SpokenWords`.

    Example:

    >>> from keras_slu.text.tokenizer import Tokenizer
    >>> found = spoken_words("Don't - stop!", Tokenizer())
    >>> found.folded, found.word.tolist()
    (['don', 't', 'stop'], [0, 0, 2])
    """
    codepoints = code_points(text)
    classes = tokenizer.table.classes[codepoints]
    inside = np.concatenate([[False], classes != SPACE, [False]])
    starts = np.flatnonzero(inside[1:-1] & ~inside[:-2])
    ends = np.flatnonzero(inside[1:-1] & ~inside[2:]) + 1

    first, last = tokenizer.spans(codepoints)
    is_piece = classes[first] != SINGLE
    first, last = first[is_piece].tolist(), last[is_piece].tolist()
    folded = tokenizer.fold(text)
    word = np.searchsorted(starts, first, side="right") - 1
    return SpokenWords(
        starts.astype(np.int32),
        ends.astype(np.int32),
        [folded[start:end] for start, end in zip(first, last, strict=True)],
        word.astype(np.int32),
    )
