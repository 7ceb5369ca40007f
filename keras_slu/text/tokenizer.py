"""The one tokenizer: a table and an integer algorithm, here in NumPy."""

import numpy as np

from keras_slu.data.utterance import Token
from keras_slu.errors import InputError
from keras_slu.files import atomic_path
from keras_slu.text.table import CODE_POINTS
from keras_slu.text.table import JOINER
from keras_slu.text.table import MARK
from keras_slu.text.table import SINGLE
from keras_slu.text.table import SPACE
from keras_slu.text.table import WORD
from keras_slu.text.table import Table
from keras_slu.text.table import make_table


class Tokenizer:
    """Splits text into tokens with code point offsets, and folds their case.

    In mode `"unicode"`, neighbouring letters and digits form a token; a
    punctuation mark, a symbol, an emoji, and a letter of a script written
    without spaces (Han, kana, Thai, ...) is a token each; a combining mark
    stays with the character before it. In mode `"whitespace"` tokens are what
    stands between separators, so data that come tokenised keep their tokens.
    No normal form is applied: the tokens are stretches of the text as it is.

    Known limit: a flag, two regional indicators, is two tokens.

    Args:
        mode: str. `"unicode"` (default) or `"whitespace"`.
        lowercase: bool. Whether `fold` takes case away. Defaults to `True`.

    Raises:
        ValueError: for another mode.

    Example:

    >>> tokenizer = Tokenizer()
    >>> [token.text for token in tokenizer.tokenize("Play 听歌, Zoë!")]
    ['Play', '听', '歌', ',', 'Zoë', '!']
    >>> tokenizer.tokenize("hey  you")[1]
    Token(text='you', start=5, end=8)
    >>> tokenizer.fold("Zoë")
    'zoë'
    """

    def __init__(self, mode="unicode", lowercase=True):
        self._set(mode, bool(lowercase), make_table(mode, bool(lowercase)))

    def _set(self, mode, lowercase, table):
        self.mode = mode
        self.lowercase = lowercase
        self.table = table
        changed = np.flatnonzero(table.fold != np.arange(CODE_POINTS))
        self._folds = dict(
            zip(changed.tolist(), table.fold[changed].tolist(), strict=True)
        )

    def tokenize(self, text):
        """Splits `text`.

        Args:
            text: str. May hold anything, lone surrogates included.

        Returns:
            tuple of `Token`, surface text and offsets:
            `text[token.start:token.end] == token.text`. Empty when there is
            nothing but separators.
        """
        starts, ends = self.spans(code_points(text))
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return tuple([Token(text[start:end], start, end) for start, end in spans])

    def spans(self, codepoints):
        """Finds the tokens. The algorithm that all forms of export share.

        It uses only comparisons, shifts by one, cumulative sums, sums by
        segment and gathers, each of which LiteRT has as a builtin.

        Args:
            codepoints: int array `(n,)` of code points, 0 to 0x10FFFF.

        Returns:
            `(starts, ends)`: int32 arrays `(tokens,)`, ends exclusive.

        Raises:
            IndexError: for a number that is no code point.
        """
        # Unsigned, so that a negative number is out of range.
        codepoints = np.asarray(codepoints).astype(np.uint32, copy=False)
        kinds = self.table.classes[codepoints]
        if kinds.max(initial=SPACE) >= MARK:  # rare; skipping it halves the time
            kinds, continues = _settle_marks(kinds)
        else:
            continues = np.zeros(len(kinds), bool)
        is_word = kinds == WORD
        continues[1:] |= is_word[1:] & is_word[:-1]

        inside = kinds != SPACE
        starts = (inside & ~continues).nonzero()[0]
        # The sum runs up to the next start, over a token and then spaces only.
        lengths = np.add.reduceat(inside, starts, dtype=np.int32)
        starts = starts.astype(np.int32)
        return starts, starts + lengths

    def fold(self, word):
        """Folds case, one code point to one code point.

        Args:
            word: str.

        Returns:
            str, as long as `word`.
        """
        return word.translate(self._folds)

    def save(self, path):
        """Writes mode and table to `path`, a `.npz` file, atomically."""
        # The shift is nearly always 0, and so packs to almost nothing.
        shift = self.table.fold - np.arange(CODE_POINTS, dtype=np.int32)
        with atomic_path(path) as temporary:
            with open(temporary, "wb") as stream:
                np.savez_compressed(
                    stream,
                    mode=np.array(self.mode),
                    lowercase=np.array(self.lowercase),
                    classes=self.table.classes,
                    fold_shift=shift,
                )

    @classmethod
    def load(cls, path):
        """Reads what `save` wrote. It behaves as it did, in any Python.

        Raises:
            InputError: when the file is missing or damaged.
        """
        try:
            # NumPy leaves a file open that it cannot read.
            with open(path, "rb") as stream, np.load(stream) as arrays:
                mode, lowercase, table = _unpack(arrays)
        except OSError as error:
            raise InputError(
                error.strerror or str(error), "Check the path.", file=path
            ) from None
        except Exception as error:  # damaged bytes make NumPy raise nearly any
            raise InputError(
                f"is no tokenizer file or is damaged ({error})",
                "Copy the run again, or train again.",
                file=path,
            ) from None
        tokenizer = cls.__new__(cls)
        tokenizer._set(mode, lowercase, table)
        return tokenizer


def code_points(text):
    """Turns a str into its code points, a uint32 array `(len(text),)`.

    Example:

    >>> code_points("é!").tolist()
    [233, 33]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _settle_marks(kinds):
    """Gives each mark the kind of its base.

    Returns:
        `(kinds, continues)`: `kinds` without `MARK` and `JOINER`, and the bool
        array of what goes on with the token of the character before it.
    """
    before = _shift(kinds)
    # A mark with nothing before it is its own base, and counts as a word.
    is_base = (kinds < MARK) | (before == SPACE)
    # In a graph: a segment maximum over the same base numbers.
    kinds_of_bases = kinds[is_base]
    kinds_of_bases[kinds_of_bases >= MARK] = WORD
    kinds = kinds_of_bases[np.cumsum(is_base) - 1]
    joined = (before == JOINER) & (kinds == SINGLE) & (_shift(kinds) == SINGLE)
    return kinds, joined | ~is_base


def _shift(kinds):
    """The kind of the character before each; a space before the first."""
    shifted = np.empty_like(kinds)
    shifted[:1] = SPACE
    shifted[1:] = kinds[:-1]
    return shifted


def _unpack(arrays):
    mode, lowercase = arrays["mode"].item(), arrays["lowercase"].item()
    classes, shift = arrays["classes"], arrays["fold_shift"]
    if mode not in ("unicode", "whitespace") or not isinstance(lowercase, bool):
        raise ValueError("unknown mode")
    for array, dtype in ((classes, np.uint8), (shift, np.int32)):
        if array.shape != (CODE_POINTS,) or array.dtype != dtype:
            raise ValueError(f"a table of {array.shape} {array.dtype}")
    fold = np.arange(CODE_POINTS, dtype=np.int32) + shift
    if classes.max() > JOINER or fold.min() < 0 or fold.max() >= CODE_POINTS:
        raise ValueError("a table with values out of range")
    return mode, lowercase, Table(classes, fold)
