"""Reads the JSON of the Snips 2017 benchmark: texts in pieces, by intent."""

from keras_slu.data.json_document import iter_examples
from keras_slu.data.json_values import member
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import join_pieces
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import split_intents


def iter_snips_json(path, report=raise_errors):
    """Reads `{intent: [{"data": [{"text": ..., "entity": ...}, ...]}, ...]}`.

    A piece with an `entity` is a slot; white space at its ends is left outside
    of it, with a warning.

    Args:
        path: path. The whole text is held in memory.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.
    """
    return iter_examples(path, _walk, read_example, report)


def _walk(document):
    for intent in document.members():
        for _ in document.items():
            yield intent


def read_example(example, intent, origin, warn, key="entity"):
    """Reads an example whose pieces name their slot under `key`."""
    typed(example, dict, "an example", "an object")
    pieces = member(example, "data", "an example")
    typed(pieces, list, '"data"', "a list of pieces")
    text, slots = join_pieces([_read_piece(piece, key) for piece in pieces], warn)
    check_text(text)
    return Utterance(text, (), slots, split_intents(intent), origin)


def _read_piece(piece, key):
    typed(piece, dict, 'a piece in "data"', "an object")
    text = string(member(piece, "text", "a piece"), 'the "text" of a piece')
    return text, string(piece[key], f'"{key}"') if key in piece else None
