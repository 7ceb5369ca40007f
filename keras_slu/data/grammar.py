"""Patterns such as `play [some] {genre} (now | later)` and drawing from them."""

import re
from typing import NamedTuple

from keras_slu.errors import InputError

_PIECES = re.compile(r"[|()\[\]]|\{\w+(?::\w+)?\}|<\w+>|[^|()\[\]{}<>]+")


class Place(NamedTuple):
    """A labelled place `{slot:rule}`, or with `slot=None` plain text `<rule>`."""

    slot: str | None
    rule: str


def parse(pattern):
    """Reads a pattern.

    `a | b` is one of them, `( )` a group, `[ ]` a group that may be absent,
    `{slot}` a labelled place filled from the rule of the same name,
    `{slot:rule}` one filled from another rule and `<rule>` plain text from it.
    Spaces around an alternative do not count.

    Args:
        pattern: str.

    Returns:
        A tuple of alternatives; each is a list of parts; a part is a str, a
        `Place` or again a tuple of alternatives.

    Raises:
        InputError: a bracket that is never opened or closed, or a name in
            brackets that is none.

    Example:

    >>> parse("stop [now]")
    (['stop ', ([(['now'],)], [])],)
    >>> parse("call {contact}")
    (['call ', Place(slot='contact', rule='contact')],)
    """
    pieces = _PIECES.findall(pattern)
    left = pieces[::-1]
    alternatives = _alternatives(left)
    if left or "".join(pieces) != pattern:
        raise _unreadable(pattern)
    return alternatives


def _alternatives(pieces):
    """Takes pieces off the end of the reversed list, up to a closing bracket."""
    alternatives = [[]]
    while pieces and pieces[-1] not in ")]":
        piece = pieces.pop()
        if piece == "|":
            alternatives.append([])
        elif piece in "([":
            group = _alternatives(pieces)
            closing = pieces.pop() if pieces else ""
            if piece + closing not in ("()", "[]"):
                raise _unreadable(piece)
            alternatives[-1].append(group if piece == "(" else ([group], []))
        else:
            alternatives[-1].append(_part(piece))
    return tuple(_trimmed(parts) for parts in alternatives)


def _part(piece):
    if piece[0] == "<":
        return Place(None, piece[1:-1])
    if piece[0] == "{":
        slot, _, rule = piece[1:-1].partition(":")
        return Place(slot, rule or slot)
    return re.sub(r"\s+", " ", piece)


def _trimmed(parts):
    """`parts` without the spaces at either end."""
    if parts and isinstance(parts[0], str):
        parts = [parts[0].lstrip(), *parts[1:]]
    if parts and isinstance(parts[-1], str):
        parts = [*parts[:-1], parts[-1].rstrip()]
    return parts


def _unreadable(pattern):
    return InputError(
        f"cannot read the pattern {pattern!r}", "Check its brackets and names."
    )


def draw(alternatives, rules, rng):
    """Draws one string from a parsed pattern.

    Only `rng.random()` is used, whose sequence Python guarantees for a seed.

    Args:
        alternatives: what `parse` returned.
        rules: dict from str to what `parse` returned.
        rng: `random.Random`.

    Returns:
        `(text, spans)`: the text with single spaces and none before a comma,
        and a list of `(slot, start, end)`, offsets into the text.

    Example:

    >>> import random
    >>> rules = {"contact": parse("anna")}
    >>> draw(parse("call {contact} (now | now)"), rules, random.Random(0))
    ('call anna now', [('contact', 5, 9)])
    """
    text, spans = "", []
    for piece, slot in _drawn(alternatives, rules, rng):
        if piece.startswith(","):
            text = text.rstrip()
        elif text == "" or text[-1] == " ":
            piece = piece.lstrip()
        text += piece
        if slot is not None:
            spans.append((slot, len(text) - len(piece), len(text)))
    return text.rstrip(), spans


def _drawn(alternatives, rules, rng):
    """Yields `(text, slot)` pieces."""
    for part in alternatives[int(rng.random() * len(alternatives))]:
        if isinstance(part, str):
            yield part, None
        elif not isinstance(part, Place):
            yield from _drawn(part, rules, rng)
        elif part.slot is None:
            yield from _drawn(rules[part.rule], rules, rng)
        else:
            yield draw(rules[part.rule], rules, rng)[0], part.slot
