"""Rules that every reader of character spans holds them to.

The functions raise `InputError` without a place; the reader adds it.
"""

from itertools import pairwise
from operator import attrgetter
from reprlib import repr as short

from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.data.words import check_name
from keras_slu.errors import InputError
from keras_slu.text.table import SEPARATOR

_START = attrgetter("start")


def make_span(name, start, end, text):
    """A `SlotSpan`, if its name and bounds are fit for `text`."""
    check_name(name)
    if not 0 <= start < end <= len(text):
        raise InputError(
            f"slot {name!r} at {start}:{end} is no stretch of the {len(text)} "
            "characters of the text",
            "Count code points from 0; start is inside, end is outside.",
        )
    return SlotSpan(name, start, end)


def in_order(slots):
    """The slots as a tuple by rising start, if none overlaps another."""
    if len(slots) < 2:
        return tuple(slots)
    slots = sorted(slots, key=_START)
    for before, slot in pairwise(slots):
        if slot.start < before.end:
            raise InputError(
                f"slot {before.name!r} at {before.start}:{before.end} overlaps "
                f"slot {slot.name!r} at {slot.start}:{slot.end}",
                "Keep one of them.",
            )
    return tuple(slots)


def join_pieces(pieces, warn):
    """Joins the pieces of a text, some of which are slots.

    Args:
        pieces: iterable of `(piece, name)`; `name` is that of a slot, or `None`.
        warn: function that is told, as an `InputError`, of separators at the
            ends of a slot; they are left outside of it.

    Returns:
        `(text, slots)`: str and tuple of `SlotSpan`.

    Example:

    >>> join_pieces([("play ", None), ("jude", "song")], print)
    ('play jude', (SlotSpan(name='song', start=5, end=9),))
    """
    text, slots = "", []
    for piece, name in pieces:
        if name is not None:
            slots.append(_trimmed(name, piece, len(text), warn))
        text += piece
    return text, tuple(slots)


def _trimmed(name, piece, at, warn):
    check_name(name)
    start, end = 0, len(piece)
    while start < end and SEPARATOR.match(piece, start):
        start += 1
    while start < end and SEPARATOR.match(piece, end - 1):
        end -= 1
    if start == end:
        raise InputError(
            f"slot {name!r} spans no token, but {short(piece)}",
            "Give it words, or none.",
        )
    if end - start < len(piece):
        warn(
            InputError(
                f"slot {name!r} has white space at an end: {short(piece)}",
                "Move it outside; that is how it is read.",
            )
        )
    return SlotSpan(name, at + start, at + end)


def pieces_of(text, slots):
    """Yields `(piece, name)` of a text, as `join_pieces` takes them."""
    end = 0
    for slot in slots:
        if slot.start > end:
            yield text[end : slot.start], None
        yield text[slot.start : slot.end], slot.name
        end = slot.end
    if end < len(text):
        yield text[end:], None


def locate_words(words, text):
    """Finds words in a text that is made of them and of separators.

    Args:
        words: sequence of str.
        text: str. Letters may differ from those of `words` in case.

    Returns:
        tuple of `Token`, spelled as in `text`.

    Raises:
        InputError: where the text holds anything else.

    Example:

    >>> locate_words(["what", "'s", "this"], "What's  this")[1]
    Token(text="'s", start=4, end=6)
    """
    tokens, end = [], 0
    for word in words:
        start = _skip_separators(text, end)
        end = start + len(word)
        if text[start:end].lower() != word.lower():
            raise InputError(
                f"the word {word!r} is not in the text at {start}: "
                f"{short(text[start:])}",
                "Give the words of the text, in order.",
            )
        tokens.append(Token(text[start:end], start, end))
    rest = text[_skip_separators(text, end) :]
    if rest:
        raise InputError(
            f"no word is given for the end of the text: {short(rest)}",
            "Give all words of the text.",
        )
    return tuple(tokens)


def _skip_separators(text, place):
    while SEPARATOR.match(text, place):
        place += 1
    return place
