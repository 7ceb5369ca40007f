"""Reads JSON lines: one utterance, a JSON object, a line."""

import json
import re
from reprlib import repr as short

from keras_slu.data.alignment import bio_tags
from keras_slu.data.alignment import slot_spans
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_name
from keras_slu.data.words import check_same_length
from keras_slu.data.words import check_tag
from keras_slu.data.words import check_word
from keras_slu.data.words import join_words
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.text.table import SEPARATOR

# JSON can spell what UTF-8 text cannot hold, or what no file of text should.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def read_json_lines(path):
    """Reads one JSON object a line, from a file that may be `.gz`.

    Keys of an object; all but `text` may be missing, others are ignored:

    - `text`: a string, or a list of words, which are then the tokens.
    - `intent` or `intents`: a string, in which `#` separates several, or a
      list of strings.
    - `slot`: a list of BIO tags, one for each word; a string is then split at
      spaces. Or `slots`: a list of objects with `name`, `start` and `end`, and
      perhaps the `value` that must be `text[start:end]`. Offsets count Unicode
      code points from 0, `end` is exclusive.

    Args:
        path: path.

    Returns:
        list of `Utterance`.

    Raises:
        InputError: for anything else, with file and line, before a single
            utterance is returned.
    """
    utterances = []
    for line, text in read_lines(path):
        try:
            utterances.append(_read_utterance(text, f"{path}:{line}"))
        except InputError as error:
            raise InputError(
                error.problem, error.remedy, file=path, line=line
            ) from None
    if not utterances:
        raise InputError("is empty", "Give it one object a line.", file=path)
    return utterances


def _read_utterance(line, origin):
    item = _read_object(line)
    text, tokens = _read_text(item)
    intents = _read_intents(item)
    if _either(item, "slot", "slots") == "slot":
        slots = _read_tags(item["slot"], tokens)
    else:
        slots = _read_spans(item.get("slots", []), text)
    utterance = Utterance(text, tokens, slots, intents, origin)
    if tokens:
        bio_tags(utterance, tokens)  # raises when a slot cuts through a token
    return utterance


def _read_object(line):
    if not line.strip():
        raise InputError("an empty line", "Remove it.")
    try:
        item = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"invalid JSON ({error})", "Write one JSON object a line."
        ) from None
    return _typed(item, dict, "the line", "a JSON object")


def _read_text(item):
    """Returns the text, and its tokens where the data give them."""
    if "text" not in item:
        raise InputError('no "text"', 'Give each object a "text".')
    text = item["text"]
    if isinstance(text, list):
        words = [_string(word, 'a word of "text"') for word in text]
        is_empty = not words
    else:
        text = _string(text, '"text"')
        words = text.split(" ") if "slot" in item else None
        is_empty = not SEPARATOR.sub("", text)
    if is_empty:
        raise InputError('"text" is empty', "Remove the line, or give it words.")
    if words is None:
        return text, ()
    for word in words:
        check_word(word)
    return join_words(words)


def _read_intents(item):
    key = _either(item, "intent", "intents")
    if key not in item:
        return ()
    value = item[key]
    if isinstance(value, str):
        return split_intents(_string(value, f'"{key}"'))
    # `#` joins intents everywhere else, so it cannot be part of a name here.
    names = [
        name
        for item in _typed(value, list, f'"{key}"', "a string or a list of strings")
        for name in split_intents(_string(item, f'a name in "{key}"'))
    ]
    return tuple(dict.fromkeys(names))


def _read_tags(value, tokens):
    tags = [
        _string(tag, 'a tag in "slot"')
        for tag in _typed(value, list, '"slot"', "a list of BIO tags")
    ]
    for tag in tags:
        check_tag(tag)
    check_same_length(tokens, tags)
    return slot_spans(tokens, tags)


def _read_spans(value, text):
    slots = [
        _read_span(item, text)
        for item in _typed(value, list, '"slots"', "a list of objects")
    ]
    slots.sort(key=lambda slot: slot.start)
    for before, slot in zip(slots, slots[1:], strict=False):
        if slot.start < before.end:
            raise InputError(
                f"slot {before.name!r} at {before.start}:{before.end} overlaps "
                f"slot {slot.name!r} at {slot.start}:{slot.end}",
                "Keep one of them.",
            )
    return tuple(slots)


def _read_span(item, text):
    item = _typed(item, dict, 'an item of "slots"', "an object")
    missing = [key for key in ("name", "start", "end") if key not in item]
    if missing:
        raise InputError(
            f'a slot without "{missing[0]}"', "Give it name, start and end."
        )
    name = _string(item["name"], 'the "name" of a slot')
    check_name(name)
    start = _typed(item["start"], int, f'"start" of slot {name!r}', "a whole number")
    end = _typed(item["end"], int, f'"end" of slot {name!r}', "a whole number")
    remedy = "Count code points from 0; start is inside, end is outside."
    if not 0 <= start < end <= len(text):
        raise InputError(
            f"slot {name!r} at {start}:{end} is no stretch of the {len(text)} "
            "characters of the text",
            remedy,
        )
    if "value" in item and item["value"] != text[start:end]:
        raise InputError(
            f"slot {name!r} has the value {short(item['value'])}, but the text at "
            f"{start}:{end} is {text[start:end]!r}",
            remedy,
        )
    return SlotSpan(name, start, end)


def _either(item, one, other):
    """The key of the two that the object has; `other` when it has none."""
    if one in item and other in item:
        raise InputError(f'both "{one}" and "{other}"', "Keep one of them.")
    return one if one in item else other


def _typed(value, kind, what, expected):
    # In Python, though not in JSON, true and false are whole numbers.
    if not isinstance(value, kind) or isinstance(value, bool):
        raise InputError(f"{what} is {short(value)}", f"Make it {expected}.")
    return value


def _string(value, what):
    text = _typed(value, str, what, "a string")
    unfit = _NO_TEXT.search(text)
    if unfit:
        raise InputError(f"{what} holds U+{ord(unfit[0]):04X}", "Remove it.")
    return text
