"""BERT's word pieces: from text to pieces with their places."""

import json
from functools import cache
from typing import NamedTuple

import numpy as np

from keras_slu.data.utterance import Token
from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.files import write_text
from keras_slu.text.folded_words import folded_words

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_BYTES = 100  # of a word; longer ones are unknown


class Split(NamedTuple):
    """The pieces of a text.

    Args:
        ids: int32 `(pieces,)`.
        starts, ends: int32 `(pieces,)`, where each piece stands in the text, in
            code points.
        words: int32 `(pieces,)`, the number of the word that each belongs to.
    """

    ids: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    words: np.ndarray


class Packed(NamedTuple):
    """One or two texts as a model reads them: `[CLS] a [SEP] b [SEP]`.

    Args:
        pieces: int32 `(pieces,)`.
        segments: int32 `(pieces,)`, 1 for the second text and its end, else 0.
        starts, ends: int32 `(pieces,)`, the place of each piece in its text, -1
            for the special ones.
    """

    pieces: np.ndarray
    segments: np.ndarray
    starts: np.ndarray
    ends: np.ndarray


class WordPieces:
    """Splits text into the pieces of a vocabulary, as BERT does.

    White space separates words; a punctuation mark and a Chinese character are
    words of their own. A word is the longest known pieces from left to right,
    those after the first written with `##`; where there are none, or the word
    has more than 100 bytes, it is one `[UNK]`. With `lowercase`, the letters
    lose case, accents and width (NFKC case folding), code point by code point.
    The pieces are those of `tensorflow_text.FastBertTokenizer`, but that
    Pythons differ in the newest of Unicode.

    Args:
        vocabulary: list of str, by id, with `[PAD]` as the first, `[UNK]`,
            `[CLS]`, `[SEP]` and `[MASK]` anywhere.
        lowercase: bool. Defaults to `True`.

    Raises:
        ValueError: for a vocabulary without these, or with a piece twice.

    Attributes:
        unknown_id, start_id, end_id, mask_id: int, the ids of `[UNK]`,
            `[CLS]`, `[SEP]` and `[MASK]`.

    Example:

    >>> pieces = WordPieces([*SPECIAL, "play", "##ing", "歌"])
    >>> split = pieces.split("Playing 歌!")
    >>> split.ids, split.starts, split.words
    (array([5, 6, 7, 1], dtype=int32), array([0, 4, 8, 9], dtype=int32),
     array([0, 0, 1, 2], dtype=int32))

    Reference:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805)
    """

    def __init__(self, vocabulary, lowercase=True):
        self.vocabulary = list(vocabulary)
        self.lowercase = lowercase
        self._ids = {piece: place for place, piece in enumerate(self.vocabulary)}
        missing = [name for name in SPECIAL if name not in self._ids]
        if missing or self.vocabulary[0] != SPECIAL[0]:
            raise ValueError(
                f"A vocabulary has {', '.join(SPECIAL)}, the first at 0. "
                f"It lacks: {missing}"
            )
        if len(self._ids) < len(self.vocabulary):
            raise ValueError("A vocabulary has each piece once")
        _, self.unknown_id, self.start_id, self.end_id, self.mask_id = (
            self._ids[name] for name in SPECIAL
        )
        self._pieces_of = cache(self._find_pieces)

    def __len__(self):
        return len(self.vocabulary)

    @property
    def words(self):
        """The pieces that begin a word, a list of str."""
        return [
            piece
            for piece in self.vocabulary
            if piece not in SPECIAL and not piece.startswith("##")
        ]

    def split(self, text):
        """Splits a text.

        Args:
            text: str.

        Returns:
            `Split`, empty where the text has no word.
        """
        found = []
        for number, word in enumerate(folded_words(text, self.lowercase)):
            bounds = word.bounds
            for id_, start, end in self._pieces_of(word.text):
                found.append((id_, bounds[start][0], bounds[end - 1][1], number))
        return Split(*np.array(found, np.int32).reshape(-1, 4).T)

    def tokenize(self, text):
        """The words of a text, a tuple of `Token`.

        Words that share a character, as the three dots of an ellipsis do, are
        one.
        """
        spans = []
        for word in folded_words(text, self.lowercase):
            start, end = word.bounds[0][0], word.bounds[-1][1]
            if spans and start < spans[-1][1]:
                start = spans.pop()[0]
            spans.append((start, end))
        return tuple(Token(text[start:end], start, end) for start, end in spans)

    def ids(self, words):
        """The pieces of words, each for itself.

        Args:
            words: iterable of str.

        Returns:
            list of int32 arrays, none empty: a word of nothing is unknown.
        """
        unknown = np.array([self.unknown_id], np.int32)
        rows = [self.split(word).ids for word in words]
        return [row if len(row) else unknown for row in rows]

    def pack(self, first, second=None, max_pieces=512):
        """Packs one or two texts into a row.

        Where the row is too short, the longer text loses its end; where both
        are longer than half of the row, each gets a half.

        Args:
            first: str or `Split`.
            second: str, `Split` or `None`. Defaults to `None`.
            max_pieces: int. Of the row. Defaults to `512`.

        Returns:
            `Packed`.

        Example:

        >>> pieces = WordPieces([*SPECIAL, "a", "b"])
        >>> packed = pieces.pack("a b", "b")
        >>> packed.pieces, packed.segments
        (array([2, 5, 6, 3, 6, 3], dtype=int32),
         array([0, 0, 0, 0, 1, 1], dtype=int32))
        """
        splits = [
            self.split(text) if isinstance(text, str) else text
            for text in (first, second)
            if text is not None
        ]
        room = max_pieces - 1 - len(splits)
        lengths = [len(split.ids) for split in splits]
        if len(splits) == 2:
            most = (max(room - lengths[1], room - room // 2), lengths[0])
            lengths[0] = min(most)
        parts = [((self.start_id,), (-1,), (-1,), (0,))]
        for segment, split in enumerate(splits):
            kept = slice(min(lengths[segment], room))
            room -= len(split.ids[kept])
            columns = (split.ids[kept], split.starts[kept], split.ends[kept])
            parts.append((*columns, np.full(len(columns[0]), segment)))
            parts.append(((self.end_id,), (-1,), (-1,), (segment,)))
        columns = zip(*parts, strict=True)
        pieces, starts, ends, segments = (
            np.concatenate(column).astype(np.int32) for column in columns
        )
        return Packed(pieces, segments, starts, ends)

    def _find_pieces(self, word):
        """`(id, start, end)` of each piece of a folded word."""
        found = longest_pieces(word, self._ids)
        return found or [(self.unknown_id, 0, len(word))]

    def save(self, path):
        """Writes vocabulary and `lowercase` to one file, atomically."""
        content = {"lowercase": self.lowercase, "vocabulary": self.vocabulary}
        write_text(path, json.dumps(content, ensure_ascii=False))

    @classmethod
    def load(cls, path, lowercase=True):
        """Reads what `save` wrote, or a BERT's `vocab.txt`, one piece a line.

        Args:
            path: path.
            lowercase: bool. Of a `vocab.txt`. Defaults to `True`.

        Raises:
            InputError: when the file is missing or is no such vocabulary.
        """
        lines = [text for _, text in read_lines(path)]
        try:
            if lines and lines[0].startswith("{"):
                return cls(**json.loads("".join(lines)))
            return cls(lines, lowercase)
        except (ValueError, TypeError) as error:
            raise InputError(
                f"is no vocabulary of word pieces ({error})",
                "Give a BERT's vocab.txt.",
                file=path,
            ) from None


def longest_pieces(word, ids):
    """The longest known pieces of a word, from left to right.

    Args:
        word: str, folded.
        ids: dict, the ids of pieces.

    Returns:
        list of `(id, start, end)`, empty where there are none, or the word has
        more than 100 bytes.

    >>> longest_pieces("going", {"go": 5, "##i": 6, "##ing": 7})
    [(5, 0, 2), (7, 2, 5)]
    """
    if len(word.encode()) > MAX_BYTES:
        return []
    found, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            id_ = ids.get(prefix + word[start:end])
            if id_ is not None:
                break
        else:
            return []
        found.append((id_, start, end))
        start = end
    return found
