"""The table that drives the tokenizer: what each code point is and folds to.

It is made from Python's `unicodedata`, whose Unicode version differs between
Pythons, so a run saves the table it was trained with.
"""

import re
import unicodedata
from functools import cache
from typing import NamedTuple

import numpy as np

CODE_POINTS = 0x110000

# The classes. MARK and JOINER come last: `kind >= MARK` finds both.
SPACE = 0  # separates tokens and belongs to none
WORD = 1  # neighbours form one token
SINGLE = 2  # a token each: punctuation, symbols, emoji
IDEOGRAPH = 3  # a token each: letters of scripts written without spaces
MARK = 4  # stays with the character before it, whatever that is
JOINER = 5  # a mark that also keeps two SINGLEs around it together

# White space, controls and the format characters that are no part of a word:
# zero width space, directional marks, byte-order mark, annotation anchors.
# Fixed here, not read from `unicodedata`: readers and both modes rely on it.
_SEPARATORS = (
    (0x0000, 0x0020),
    (0x007F, 0x00A0),
    (0x061C, 0x061C),
    (0x1680, 0x1680),
    (0x2000, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202F),
    (0x205F, 0x205F),
    (0x2066, 0x2069),
    (0x3000, 0x3000),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
)
# `SEPARATOR.search(word)` finds what would split a word, in either mode.
SEPARATOR = re.compile(
    "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in _SEPARATORS) + "]"
)

_CLASS_OF_CATEGORY = {
    "L": WORD,
    "N": WORD,
    "M": MARK,
    "P": SINGLE,
    "S": SINGLE,
    "Z": SPACE,
    "Cc": SPACE,
    "Cf": MARK,  # soft hyphen, ZWNJ, tags: invisible parts of what they follow
    "Cn": WORD,  # unassigned: most often a letter of a newer Unicode
    "Co": SINGLE,
    "Cs": SINGLE,  # a lone surrogate, like U+FFFD that encoding makes of it
}

# Blocks of Han, assigned or not, so that a newer Unicode changes nothing.
_HAN = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
# How the names of the other letters without spaces between words begin.
_WITHOUT_SPACES = (
    "BALINESE ",
    "BOPOMOFO ",
    "HALFWIDTH KATAKANA ",
    "HANGZHOU NUMERAL ",
    "HENTAIGANA ",
    "HIRAGANA ",
    "IDEOGRAPHIC ",
    "JAVANESE ",
    "KATAKANA",
    "KHMER ",
    "LAO ",
    "MYANMAR ",
    "NEW TAI LUE ",
    "TAI LE ",
    "TAI THAM ",
    "TAI VIET ",
    "THAI ",
    "VERTICAL ",
    "YI SYLLABLE ",
)

# Format characters that stand before, and enclose, the digits they belong to.
_BEFORE_DIGITS = (
    *(0x0600, 0x0601, 0x0602, 0x0603, 0x0604, 0x0605, 0x06DD, 0x070F),
    *(0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD),
)


class Table(NamedTuple):
    """What each code point is and folds to.

    Args:
        classes: uint8 array `(0x110000,)` of `SPACE` to `JOINER`.
        fold: int32 array `(0x110000,)` of code points.
    """

    classes: np.ndarray
    fold: np.ndarray


@cache
def make_table(mode, lowercase):
    """Makes the table of a mode from this Python's `unicodedata`.

    Args:
        mode: str. `"unicode"` or `"whitespace"`.
        lowercase: bool. Whether the fold takes case away.

    Returns:
        A `Table`, shared between calls and read-only.

    Raises:
        ValueError: for another mode.

    Example:

    >>> table = make_table("unicode", lowercase=True)
    >>> table.classes[[ord(character) for character in "a ?"]].tolist()
    [1, 0, 2]
    >>> chr(table.fold[ord("É")])
    'é'
    """
    if mode not in ("unicode", "whitespace"):
        raise ValueError(f'mode must be "unicode" or "whitespace", not {mode!r}.')
    classes = _unicode_classes() if mode == "unicode" else _whitespace_classes()
    fold = _case_fold() if lowercase else np.arange(CODE_POINTS, dtype=np.int32)
    classes.flags.writeable = False
    fold.flags.writeable = False
    return Table(classes, fold)


def _whitespace_classes():
    classes = np.full(CODE_POINTS, WORD, np.uint8)
    for low, high in _SEPARATORS:
        classes[low : high + 1] = SPACE
    return classes


def _unicode_classes():
    classes = np.full(CODE_POINTS, WORD, np.uint8)
    for low, high in ((0x0, 0x3FFFF), (0xE0000, 0xE0FFF)):  # others are empty
        classes[low : high + 1] = [_class_of(code) for code in range(low, high + 1)]
    classes[0xF0000:] = SINGLE  # private use
    for low, high in _HAN:
        classes[low : high + 1] = IDEOGRAPH
    classes[0x1F3FB:0x1F400] = MARK  # skin tones of emoji
    classes[0xFF9E:0xFFA0] = MARK  # halfwidth voicing of katakana
    classes[list(_BEFORE_DIGITS)] = WORD
    classes[0x200D] = JOINER
    for low, high in _SEPARATORS:
        classes[low : high + 1] = SPACE
    return classes


def _class_of(code):
    character = chr(code)
    category = unicodedata.category(character)
    if category in ("Lo", "Lm", "Nl"):
        if unicodedata.name(character, "").startswith(_WITHOUT_SPACES):
            return IDEOGRAPH
    if category == "Cn" and 0x1F000 <= code <= 0x1FAFF:
        return SINGLE  # kept free for emoji
    return _CLASS_OF_CATEGORY[category if category[0] == "C" else category[0]]


def _case_fold():
    fold = np.arange(CODE_POINTS, dtype=np.int32)
    fold[:0x20000] = [_fold_one(chr(code)) for code in range(0x20000)]
    fold[0x130] = ord("i")  # İ: every standard fold of it is two code points
    return fold


def _fold_one(character):
    """Folds to one code point: case fold, else lower case, else itself."""
    for folded in (character.casefold(), character.lower()):
        if len(folded) == 1:
            return ord(folded)
    return ord(character)
