"""Reads texts and pairs of texts with their labels: a table with a header."""

from keras_slu.data.report import attempt
from keras_slu.data.report import iter_lines
from keras_slu.data.report import names_left_out
from keras_slu.data.report import raise_errors
from keras_slu.data.text_lines import FIRST
from keras_slu.data.text_lines import SECOND
from keras_slu.data.text_lines import text_example
from keras_slu.errors import InputError

LABEL = "label"


def iter_text_table(path, report=raise_errors):
    """Reads a table of tabs, from a file that may be `.gz`.

    The header names `label` and the columns of the texts as `iter_text_lines`
    does the keys. Others are left out, with a warning. A quote is a character
    like others.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `TextExample`.
    """
    lines = iter_lines(path, report)
    _, header = next(lines, (0, None))
    if header is None:
        return  # and the report knows
    names = header.split("\t")
    places = attempt(report, path, 1, _places, names)
    if places is None:
        return
    leave_out = names_left_out(report, path)
    for name in names:
        if name not in (*FIRST, *SECOND, LABEL):
            leave_out(f"columns {name!r}", 1)
    for line, text in lines:
        read = (_read, text.split("\t"), len(names), places, f"{path}:{line}")
        example = attempt(report, path, line, *read)
        if example is not None:
            yield example


def _places(names):
    """The places of text, second (or `None`) and label."""
    found = [
        [place for place, name in enumerate(names) if name in wanted]
        for wanted in (FIRST, SECOND, (LABEL,))
    ]
    text, second, label = found
    if len(text) != 1 or len(label) != 1 or len(second) > 1:
        raise InputError(
            "not the header of a table of texts and labels",
            f"Name one column {LABEL}, one {' or '.join(FIRST)} and, of pairs, one "
            f"{' or '.join(SECOND)}, with tabs between.",
        )
    return text[0], second[0] if second else None, label[0]


def _read(row, width, places, origin):
    if len(row) != width:
        raise InputError(
            f"{len(row)} columns, but the header has {width}",
            "Give each row as many tabs as the header has.",
        )
    text, second, label = places
    other = None if second is None else row[second]
    return text_example(row[text], other, row[label], origin)
