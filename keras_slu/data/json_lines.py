"""Reads JSON lines: one utterance, a JSON object, a line."""

from functools import partial
from reprlib import repr as short

from keras_slu.data.alignment import bio_tags
from keras_slu.data.json_values import intent_names
from keras_slu.data.json_values import member
from keras_slu.data.json_values import read_object
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import iter_records
from keras_slu.data.report import names_left_out
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import in_order
from keras_slu.data.spans import make_span
from keras_slu.data.tagged import read_tags
from keras_slu.data.tagged import split_words
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import check_words
from keras_slu.data.words import join_words
from keras_slu.errors import InputError

_KEYS = {"text", "intent", "intents", "slot", "slots"}


def iter_json_lines(path, report=raise_errors):
    """Reads one JSON object a line, from a file that may be `.gz`.

    Keys of an object; all but `text` may be missing, others are left out with a
    warning:

    - `text`: a string, or a list of words, which are then the tokens.
    - `intent` or `intents`: a string, in which `#` separates several, or a
      list of strings.
    - `slot`: a list of BIO tags, one for each word; a string is then split at
      spaces. Or `slots`: a list of objects with `name`, `start` and `end`, and
      perhaps the `value` that must be `text[start:end]`. Offsets count Unicode
      code points from 0, `end` is exclusive.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`.
    """
    read_utterance = partial(_read_utterance, names_left_out(report, path))
    return iter_records(path, read_utterance, report)


def _read_utterance(leave_out, line, origin, warn):
    item = read_object(line)
    for key in item.keys() - _KEYS:
        leave_out(f"keys {key!r}")
    text, tokens = _read_text(item, warn)
    intents = _read_intents(item)
    if _either(item, "slot", "slots") == "slot":
        slots = _read_tags(item["slot"], tokens, warn)
    else:
        slots = read_spans(item.get("slots", []), text)
        if tokens and slots:
            # Raises when a slot cuts through a token.
            bio_tags(Utterance(text, tokens, slots, intents, origin), tokens)
    return Utterance(text, tokens, slots, intents, origin)


def _read_text(item, warn):
    """Returns the text, and its tokens where the data give them."""
    text = member(item, "text", "an object")
    if isinstance(text, list):
        if not text:
            raise InputError('"text" is empty', "Give it words, or remove the line.")
        for word in text:
            string(word, 'a word of "text"')
        check_words(text)
        return join_words(text)
    check_text(string(text, '"text"'))
    if "slot" in item:
        return join_words(split_words(text, warn))
    return text, ()


def _read_intents(item):
    key = _either(item, "intent", "intents")
    if key not in item:
        return ()
    return intent_names(item[key], f'"{key}"')


def _read_tags(value, tokens, warn):
    tags = [
        string(tag, 'a tag in "slot"')
        for tag in typed(value, list, '"slot"', "a list of BIO tags")
    ]
    return read_tags(tags, tokens, warn)


def read_spans(value, text):
    """Reads the value of `slots`, a list of objects, as `SlotSpan`s in order."""
    items = typed(value, list, '"slots"', "a list of objects")
    return in_order([_read_span(item, text) for item in items])


def _read_span(item, text):
    typed(item, dict, 'an item of "slots"', "an object")
    try:
        name, start, end = item["name"], item["start"], item["end"]
    except KeyError as error:
        problem = f'a slot without "{error.args[0]}"'
        raise InputError(problem, "Give it name, start and end.") from None
    string(name, 'the "name" of a slot')
    for bound in (start, end):
        if type(bound) is not int:  # `typed` would cost a message each
            problem = f"a bound of slot {name!r} is {short(bound)}"
            raise InputError(problem, "Make it a whole number.")
    slot = make_span(name, start, end, text)
    if "value" in item and item["value"] != text[start:end]:
        raise InputError(
            f"slot {name!r} has the value {short(item['value'])}, but the text at "
            f"{start}:{end} is {text[start:end]!r}",
            "Count code points from 0; start is inside, end is outside.",
        )
    return slot


def _either(item, one, other):
    """The key of the two that the object has; `other` when it has none."""
    if one in item and other in item:
        raise InputError(f'both "{one}" and "{other}"', "Keep one of them.")
    return one if one in item else other
