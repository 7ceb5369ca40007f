"""Reads NLU++ JSON: several intents an example, slots with character spans."""

from keras_slu.data.json_document import iter_examples
from keras_slu.data.json_values import intent_names
from keras_slu.data.json_values import member
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import in_order
from keras_slu.data.spans import make_span
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.errors import InputError


def iter_nlupp(path, report=raise_errors):
    """Reads a list of objects with `text` and perhaps `intents` and `slots`.

    `slots` maps a name to an object whose `span` is `[start, end]`, end
    exclusive. The values of slots are ignored: their text says as much.

    Args:
        path: path. The whole text is held in memory.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens; its intents are empty where none fits.

    Reference: Casanueva et al., "NLU++: A Multi-Label, Slot-Rich,
    Generalisable Dataset for Natural Language Understanding in Task-Oriented
    Dialogue", 2022.
    """
    return iter_examples(path, lambda document: document.items(), _read, report)


def _read(example, _, origin, warn):
    typed(example, dict, "an example", "an object")
    other = set(example) - {"text", "intents", "slots"}
    if other:
        raise InputError(
            f"an example with {min(other)!r}", "Give it text, intents and slots only."
        )
    text = string(member(example, "text", "an example"), '"text"')
    check_text(text)
    slots = typed(example.get("slots", {}), dict, '"slots"', "an object")
    spans = [_read_slot(name, slot, text) for name, slot in slots.items()]
    intents = intent_names(example.get("intents", []), '"intents"')
    return Utterance(text, (), in_order(spans), intents, origin)


def _read_slot(name, slot, text):
    typed(slot, dict, f"slot {name!r}", "an object")
    span = member(slot, "span", f"slot {name!r}")
    span = [typed(bound, int, "a bound", "a whole number") for bound in _pair(span)]
    return make_span(string(name, "the name of a slot"), *span, text)


def _pair(span):
    if len(typed(span, list, '"span"', "[start, end]")) != 2:
        raise InputError(f'"span" has {len(span)} bounds', "Make it [start, end].")
    return span
