"""Reads the datasets of the snips-nlu library: intents and entities in JSON."""

from functools import partial

from keras_slu.data.json_document import iter_examples
from keras_slu.data.report import names_left_out
from keras_slu.data.report import raise_errors
from keras_slu.data.snips_json import read_example


def iter_snips_nlu(path, report=raise_errors):
    """Reads the utterances of each intent; a piece with a `slot_name` is a slot.

    The values and synonyms of entities are left out, with a warning.

    Args:
        path: path. The whole text is held in memory.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.
    """
    walk = partial(_walk, names_left_out(report, path))
    return iter_examples(path, walk, partial(read_example, key="slot_name"), report)


def _walk(leave_out, document):
    for section in document.members():
        if section != "intents":
            if section == "entities":
                leave_out("values and synonyms of entities", document.line)
            document.value()
            continue
        for intent in document.members():
            for key in document.members():
                if key != "utterances":
                    document.value()
                    continue
                for _ in document.items():
                    yield intent
