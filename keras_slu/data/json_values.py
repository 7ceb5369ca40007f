"""Values that come from JSON, of the type that a format wants.

The functions raise `InputError` without a place; the reader adds it.
"""

import json
import re
from functools import lru_cache
from reprlib import repr as short

from keras_slu.data.words import split_intents
from keras_slu.errors import InputError

try:
    import orjson  # of the extra `fast`: a third more lines a second
except ImportError:
    orjson = None

# JSON can spell what UTF-8 text cannot hold, or what no file of text should.
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


def _load(line):
    if orjson is not None:
        try:
            return orjson.loads(line)
        except ValueError:
            pass  # json tells more of what is wrong
    return json.loads(line)


def read_object(line):
    """The JSON object that a line holds."""
    try:
        item = _load(line)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"invalid JSON ({error})", "Write one JSON object a line."
        ) from None
    return typed(item, dict, "the line", "a JSON object")


def typed(value, kind, what, expected):
    """`value`, if it is a `kind`; `what` and `expected` are for the error."""
    if type(value) is not kind:  # for `isinstance`, true is a whole number
        raise InputError(f"{what} is {short(value)}", f"Make it {expected}.")
    return value


def string(value, what):
    """`value`, if it is a string that a UTF-8 file can hold."""
    if type(value) is str and value.isprintable():
        return value  # which nearly all do, and quickly
    unfit = _NO_TEXT.search(typed(value, str, what, "a string"))
    if unfit:
        raise InputError(f"{what} holds U+{ord(unfit[0]):04X}", "Remove it.")
    return value


def intent_names(value, what):
    """The intents that a string or a list of strings names, each once."""
    if isinstance(value, str):
        return _split_all((string(value, what),))
    typed(value, list, what, "a string or a list of strings")
    for name in value:
        string(name, f"a name in {what}")
    return _split_all(tuple(value))


@lru_cache(4096)  # a data set repeats a few very often
def _split_all(values):
    # `#` joins intents everywhere else, so it cannot be part of a name here.
    names = [name for value in values for name in split_intents(value)]
    return tuple(dict.fromkeys(names))


def member(item, key, what):
    """`item[key]`; `what` the item is, is for the error."""
    if key not in item:
        raise InputError(f'{what} without "{key}"', f'Give it "{key}".')
    return item[key]
