"""Reads the JSON lines of MASSIVE: slots marked as `[name : value]`."""

import re
from reprlib import repr as short

from keras_slu.data.json_values import member
from keras_slu.data.json_values import read_object
from keras_slu.data.json_values import string
from keras_slu.data.report import iter_records
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import join_pieces
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError

_MARK = re.compile(r"\[([^\[\]:]+) : ([^\[\]]+)\]")


def iter_massive(path, report=raise_errors):
    """Reads `utt`, `annot_utt` and `intent` of each line.

    The text is `utt`; where its words are not those of `annot_utt`, a warning
    says so and the latter are the text. The published files hold all
    partitions of a language: a warning says so, and all are read.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.

    Reference: FitzGerald et al., "MASSIVE: A 1M-Example Multilingual Natural
    Language Understanding Dataset with 51 Typologically-Diverse Languages",
    2022.
    """
    partitions = set()

    def read_utterance(line, origin, warn):
        item = read_object(line)
        partitions.add(str(item.get("partition")))
        return _read_utterance(item, origin, warn)

    yield from iter_records(path, read_utterance, report)
    if len(partitions) > 1:
        problem = f"holds {', '.join(sorted(partitions))} together; all are read"
        remedy = "Give each partition a file, for example with grep."
        report("warning", InputError(problem, remedy, file=path))


def _read_utterance(item, origin, warn):
    text, marked, intent = (
        string(member(item, key, "an object"), f'"{key}"')
        for key in ("utt", "annot_utt", "intent")
    )
    marked_text, slots = join_pieces(_iter_pieces(marked), warn)
    if text.lower() != marked_text.lower() or len(text) != len(marked_text):
        problem = f'"utt" is {short(text)}, but "annot_utt" {short(marked_text)}'
        warn(InputError(problem, "Let them agree; the latter is read."))
        text = marked_text
    check_text(text)
    return Utterance(text, (), slots, split_intents(intent), origin)


def _iter_pieces(marked):
    end = 0
    for mark in _MARK.finditer(marked):
        yield _plain(marked[end : mark.start()]), None
        yield mark[2], mark[1].strip(" ")
        end = mark.end()
    yield _plain(marked[end:]), None


def _plain(piece):
    if "[" in piece or "]" in piece:
        raise InputError(
            f"brackets that mark no slot, or stand in a mark, at {short(piece)}",
            "Write [name : value].",
        )
    return piece
