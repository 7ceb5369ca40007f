"""Reads CLUENER's JSON lines: a text and, by type, where its names are."""

from reprlib import repr as short

from keras_slu.data.json_values import member
from keras_slu.data.json_values import read_object
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import iter_records
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import in_order
from keras_slu.data.spans import make_span
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.errors import InputError


def iter_cluener(path, report=raise_errors):
    """Reads `text` and `label` of each line.

    `label` is an object from a type to the names of that type, each with the
    places where it stands: lists of first and last character. An object
    without `label` has no names.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens and intents.

    Example of a line:

        {"text": "曼联赢了", "label": {"organization": {"曼联": [[0, 1]]}}}

    Reference: Xu et al., "CLUENER2020: Fine-grained Named Entity Recognition
    Dataset and Benchmark for Chinese", 2020.
    """
    return iter_records(path, _read_utterance, report)


def _read_utterance(line, origin, warn):
    item = read_object(line)
    text = string(member(item, "text", "an object"), '"text"')
    check_text(text)
    types = typed(item.get("label", {}), dict, '"label"', "an object")
    slots = []
    for name, values in types.items():
        typed(values, dict, f"the names of type {name!r}", "an object")
        for value, places in values.items():
            typed(places, list, f"the places of {short(value)}", "a list of pairs")
            slots += [_read_slot(name, value, place, text) for place in places]
    return Utterance(text, slots=in_order(slots), origin=origin)


def _read_slot(name, value, place, text):
    if not isinstance(place, list) or [type(bound) for bound in place] != [int, int]:
        raise InputError(
            f"{short(value)} of type {name!r} has the place {short(place)}",
            "Give its first and its last character.",
        )
    slot = make_span(name, place[0], place[1] + 1, text)
    if text[slot.start : slot.end] != value:
        raise InputError(
            f"{short(value)} of type {name!r} is not in the text at {place}, but "
            f"{short(text[slot.start : slot.end])}",
            "Count code points from 0; both bounds are inside.",
        )
    return slot
