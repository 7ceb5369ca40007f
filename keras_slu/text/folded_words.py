"""The words of a text as BERT sees them: folded, each with its place."""

import unicodedata
from functools import cache
from functools import partial
from typing import NamedTuple

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
    folded = without_marks(case_fold(character)) if lowercase else character
    return tuple((part, _kind(part)) for part in folded)


def case_fold(character):
    """NFKC case folding of a character; `""` for what is ignorable."""
    normalize = partial(unicodedata.normalize, "NFKC")
    folded = normalize(unicodedata.normalize("NFD", character).casefold())
    folded = normalize(folded.casefold())
    return "".join(part for part in folded if not _is_in(part, _IGNORABLE))


def without_marks(text):
    """A text without the marks that it can be decomposed into."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn")


def is_single(character):
    """Whether BERT makes a word of the character alone."""
    is_punctuation = (
        unicodedata.category(character)[0] == "P" or character in _ASCII_PUNCTUATION
    )
    return is_punctuation or _is_in(character, _IDEOGRAPHS)


def _kind(character):
    """`"space"`, `"single"` for a word of its own, or `"word"`."""
    if unicodedata.category(character)[0] == "Z":
        return "space"
    return "single" if is_single(character) else "word"


def _is_in(character, ranges):
    code = ord(character)
    return any(low <= code <= high for low, high in ranges)
