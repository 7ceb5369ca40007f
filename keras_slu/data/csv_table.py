"""Reads a table of texts and intents: CSV with a header."""

import csv
from typing import NamedTuple

from keras_slu.data.report import attempt
from keras_slu.data.report import iter_lines
from keras_slu.data.report import names_left_out
from keras_slu.data.report import raise_errors
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError

_TEXT = ("text", "utterance", "sentence", "query")
_INTENT = ("intent", "label", "category")


def iter_csv(path, report=raise_errors):
    """Reads two columns of a table: the text and its intent, no slots.

    The header names them, in upper or lower case: `text`, `utterance`,
    `sentence` or `query`; `intent`, `label` or `category`. Commas, semicolons
    or tabs separate columns. Quoted text may hold line ends and separators,
    save where tabs separate: there a quote is a character like others. Other
    columns are left out, with a warning.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.
    """
    lines = iter_lines(path, report)
    _, first = next(lines, (0, None))
    if first is None:
        return  # and the report knows
    header = find_header(first)
    if header is None:
        problem = "not the header of a table of texts and intents"
        remedy = f"Name one column {_TEXT[0]} and one {_INTENT[0]}."
        report("error", InputError(problem, remedy, file=path, line=1))
        return
    leave_out = names_left_out(report, path)
    for name in header.others:
        leave_out(f"columns {name!r}", 1)
    for line, row in _iter_rows(lines, header.separator, path, report):
        read = (_read_row, row, header, f"{path}:{line}")
        utterance = attempt(report, path, line, *read)
        if utterance is not None:
            yield utterance


class Header(NamedTuple):
    """The first line of a table.

    Args:
        separator: str, between columns.
        width: int, how many columns there are.
        text: int, place of the column of texts.
        intent: int, place of the column of intents.
        others: list of str, names of other columns.
    """

    separator: str
    width: int
    text: int
    intent: int
    others: list[str]


def find_header(line):
    """The `Header` that a line is, or `None`.

    >>> find_header("Text;Intent;id")
    Header(separator=';', width=3, text=0, intent=1, others=['id'])
    """
    for separator in ",;\t":
        names = [name.strip(' "').lower() for name in line.split(separator)]
        text = [place for place, name in enumerate(names) if name in _TEXT]
        intent = [place for place, name in enumerate(names) if name in _INTENT]
        if len(text) == len(intent) == 1:
            others = [name for name in names if name not in _TEXT + _INTENT]
            return Header(separator, len(names), text[0], intent[0], others)
    return None


def _iter_rows(lines, separator, path, report):
    """Yields `(line, fields)`; reports what is no CSV."""
    rows = csv.reader(
        (text + "\n" for _, text in lines),
        delimiter=separator,
        quoting=csv.QUOTE_NONE if separator == "\t" else csv.QUOTE_MINIMAL,
        strict=True,
    )
    line = 2
    try:
        for row in rows:
            yield line, row
            line = rows.line_num + 2
    except csv.Error as error:
        remedy = "Close each quote, and shorten what is longer than any text."
        fault = InputError(f"invalid CSV ({error})", remedy, file=path, line=line)
    else:
        return
    report("error", fault)


def _read_row(row, header, origin):
    if len(row) != header.width:
        raise InputError(
            f"{len(row)} columns, but the header has {header.width}",
            f"Quote texts that hold {header.separator!r}.",
        )
    text, intent = row[header.text], row[header.intent]
    check_text(text)
    return Utterance(text, (), (), split_intents(intent), origin)
