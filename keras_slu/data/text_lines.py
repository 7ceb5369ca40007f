"""Reads texts and pairs of texts with their labels: JSON lines as of CLUE."""

from functools import partial

from keras_slu.data.examples import TextExample
from keras_slu.data.json_values import member
from keras_slu.data.json_values import read_object
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import iter_records
from keras_slu.data.report import names_left_out
from keras_slu.data.report import raise_errors
from keras_slu.data.words import check_name
from keras_slu.data.words import check_text
from keras_slu.errors import InputError

# What the texts are called, and the second of a pair.
FIRST = ("text", "sentence", "sentence1", "text_a", "question")
SECOND = ("sentence2", "text_b", "candidate")
LABELS = ("label_desc", "label")


def iter_text_lines(path, report=raise_errors):
    """Reads one JSON object a line, from a file that may be `.gz`.

    Keys of an object, others are left out with a warning:

    - the text: `text`, `sentence`, `sentence1`, `text_a` or `question`;
    - of a pair the other: `sentence2`, `text_b` or `candidate`; one of the two
      may be empty;
    - `label`, a string or a whole number, or its name `label_desc` where there
      is one.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `TextExample`.

    Reference: Xu et al., "CLUE: A Chinese Language Understanding Evaluation
    Benchmark", 2020.
    """
    return iter_records(path, partial(_read, names_left_out(report, path)), report)


def _read(leave_out, line, origin, warn):
    item = read_object(line)
    for key in item.keys() - {*FIRST, *SECOND, *LABELS}:
        leave_out(f"keys {key!r}")
    first = _one_of(item, FIRST)
    if first is None:
        raise InputError("an object without a text", f"Name it {', '.join(FIRST)}.")
    second = _one_of(item, SECOND)
    return text_example(
        string(item[first], f'"{first}"'),
        None if second is None else string(item[second], f'"{second}"'),
        _label(item),
        origin,
    )


def _one_of(item, names):
    """Which of the names the object has, or `None`."""
    found = [name for name in names if name in item]
    if len(found) > 1:
        raise InputError(f'both "{found[0]}" and "{found[1]}"', "Keep one of them.")
    return found[0] if found else None


def _label(item):
    if "label_desc" in item:
        return string(item["label_desc"], '"label_desc"')
    label = member(item, "label", "an object")
    if type(label) is int:
        return str(label)
    return string(typed(label, str, '"label"', "a string or a whole number"), '"label"')


def text_example(text, second, label, origin):
    """A `TextExample`, if its texts and its label are fit.

    The functions that read raise `InputError` without a place.
    """
    check_name(label)
    if second is None or not second.strip():
        check_text(text)  # of a pair, one side may be empty
    return TextExample(text, second, label, origin)
