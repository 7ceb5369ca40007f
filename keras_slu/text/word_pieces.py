"""BERT's word pieces: from text to pieces with their places."""

import json
import unicodedata
from functools import cache
from functools import partial
from typing import NamedTuple

import numpy as np

from keras_slu.data.utterance import Token
from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.files import write_text

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
MAX_BYTES = 100  # of a word; longer ones are unknown
# Scripts in which BERT makes a word of each character.
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
# Unicode's Default_Ignorable_Code_Point, which `unicodedata` does not tell.
_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


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
        unknown = [(self.unknown_id, 0, len(word))]
        if len(word.encode()) > MAX_BYTES:
            return unknown
        found, start = [], 0
        while start < len(word):
            prefix = "##" if start else ""
            for end in range(len(word), start, -1):
                id_ = self._ids.get(prefix + word[start:end])
                if id_ is not None:
                    break
            else:
                return unknown
            found.append((id_, start, end))
            start = end
        return found

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


class FoldedWord(NamedTuple):
    """A word after folding, and where each of its characters comes from.

    Args:
        text: str.
        bounds: list of `(start, end)`, one for each character of `text`.
    """

    text: str
    bounds: list[tuple[int, int]]


def folded_words(text, lowercase=True):
    """The words of a text as BERT sees them, a list of `FoldedWord`.

    >>> [word.text for word in folded_words("Ça va？ 好的")]
    ['ca', 'va', '?', '好', '的']
    """
    words, characters, bounds = [], [], []

    def close():
        if characters:
            words.append(FoldedWord("".join(characters), bounds.copy()))
            characters.clear()
            bounds.clear()

    for place, character in enumerate(text):
        folded = _fold(character, lowercase)
        if not folded and bounds:
            bounds[-1] = (bounds[-1][0], place + 1)  # a mark stays with its base
        for part, kind in folded:
            if kind != "word":
                close()
            if kind != "space":
                characters.append(part)
                bounds.append((place, place + 1))
            if kind == "single":
                close()
    close()
    return words


@cache
def _fold(character, lowercase):
    """What a character becomes: `(character, kind)` of each that it folds to."""
    is_control = unicodedata.category(character) in ("Cc", "Cf")
    if is_control and not (lowercase and _is_in(character, _IGNORABLE)):
        return ((" ", "space"),)
    folded = _case_fold(character) if lowercase else character
    return tuple((part, _kind(part)) for part in folded)


def _case_fold(character):
    """NFKC case folding, without the marks that it can be decomposed into."""
    normalize = partial(unicodedata.normalize, "NFKC")
    folded = normalize(unicodedata.normalize("NFD", character).casefold())
    folded = normalize(folded.casefold())
    kept = (part for part in folded if not _is_in(part, _IGNORABLE))
    decomposed = unicodedata.normalize("NFD", "".join(kept))
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn")


def _kind(character):
    """`"space"`, `"single"` for a word of its own, or `"word"`."""
    category = unicodedata.category(character)
    if category[0] == "Z":
        return "space"
    is_punctuation = category[0] == "P" or character in _ASCII_PUNCTUATION
    if is_punctuation or _is_in(character, _IDEOGRAPHS):
        return "single"
    return "word"


def _is_in(character, ranges):
    code = ord(character)
    return any(low <= code <= high for low, high in ranges)
