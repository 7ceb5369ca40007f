"""Entities marked inside a text, as Rasa writes them: `[value](entity)`."""

import json
import re
from reprlib import repr as short

from keras_slu.data.json_values import member
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.spans import join_pieces
from keras_slu.errors import InputError

# [value](entity), [value](entity:synonym), [value]{"entity": ...}, and a list
# of such objects: [value][{...}].
_MARK = re.compile(
    r"\[(?P<value>[^\[\]]+)\]"
    r"(?:\((?P<short>[^()]*)\)|(?P<object>\{[^{}]*\})|\[(?P<list>[^\[\]]*)\])"
)
_BRACKET = re.compile(r"[\[\]]")


def read_marks(marked, leave_out, warn):
    """Reads a text with marks.

    Args:
        marked: str.
        leave_out: function that is told, by a str, what is left out.
        warn: function that is told, as an `InputError`, of lesser faults.

    Returns:
        `(text, slots)`: str and tuple of `SlotSpan`.

    Raises:
        InputError: brackets that mark nothing, nested ones among them.

    Example:

    >>> read_marks("to [Rome](city)", print, print)
    ('to Rome', (SlotSpan(name='city', start=3, end=7),))
    """
    return join_pieces(_iter_pieces(marked, leave_out), warn)


def _iter_pieces(marked, leave_out):
    end = 0
    for mark in _MARK.finditer(marked):
        yield _plain(marked[end : mark.start()]), None
        yield mark["value"], _slot_name(mark, leave_out)
        end = mark.end()
    yield _plain(marked[end:]), None


def _plain(piece):
    if _BRACKET.search(piece):
        raise InputError(
            f"brackets that mark no entity, or stand in a mark, at {short(piece)}",
            "Write [value](entity); no other square brackets can be in a text.",
        )
    return piece


def _slot_name(mark, leave_out):
    if mark["short"] is not None:
        name, colon, synonym = mark["short"].partition(":")
        entity = {"entity": name, "value": synonym} if colon else {"entity": name}
        return entity_name(entity, mark["value"], leave_out)
    try:
        entity = json.loads(mark["object"] or f"[{mark['list']}]")
    except ValueError:
        raise InputError(
            f"invalid JSON behind {short(mark['value'])}",
            'Write {"entity": "name"}, or (name).',
        ) from None
    if isinstance(entity, list):
        if len(entity) != 1:
            raise InputError(
                f"{len(entity)} entities on {short(mark['value'])}",
                "Keep one of them: slots never overlap.",
            )
        entity = entity[0]
    return entity_name(entity, mark["value"], leave_out)


def entity_name(entity, text, leave_out):
    """The slot name that an entity object means: `entity` or `entity.role`.

    Its `group` is left out, and so is a `value` that is not `text` (a synonym).
    """
    typed(entity, dict, "an entity", 'an object like {"entity": "city"}')
    name = string(member(entity, "entity", "an entity"), 'an "entity"')
    if entity.get("value", text) != text:
        leave_out("values of entities that are not in the text")
    if "group" in entity:
        leave_out("groups of entities")
    if "role" in entity:
        name += "." + string(entity["role"], 'a "role"')
    return name
