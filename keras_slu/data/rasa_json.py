"""Reads the JSON of Rasa before 2.0: examples with character spans."""

from functools import partial

from keras_slu.data.json_document import iter_examples
from keras_slu.data.json_values import member
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.rasa_marks import entity_name
from keras_slu.data.report import names_left_out
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import in_order
from keras_slu.data.spans import make_span
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.data.words import split_intents


def iter_rasa_json(path, report=raise_errors):
    """Reads `common_examples` in `rasa_nlu_data`.

    A role becomes part of the slot's name: `entity.role`. Values that are not
    the text itself (synonyms), groups and all other sections are left out; a
    warning names each once.

    Args:
        path: path. The whole text is held in memory.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.
    """
    leave_out = names_left_out(report, path)
    walk = partial(_walk, leave_out)
    return iter_examples(path, walk, partial(_read_example, leave_out), report)


def _walk(leave_out, document):
    for key in document.members():
        if key != "rasa_nlu_data":
            leave_out(f"sections {key!r}", document.line)
            document.value()
            continue
        for section in document.members():
            if section == "common_examples":
                yield from document.items()
            else:
                line = document.line
                if document.value():
                    leave_out(f"sections {section!r}", line)


def _read_example(leave_out, example, _, origin, warn):
    typed(example, dict, "an example", "an object")
    text = string(member(example, "text", "an example"), '"text"')
    check_text(text)
    intent = example.get("intent")
    intents = split_intents(string(intent, '"intent"')) if intent else ()
    entities = typed(example.get("entities") or [], list, '"entities"', "a list")
    slots = in_order([_read_entity(item, text, leave_out) for item in entities])
    return Utterance(text, (), slots, intents, origin)


def _read_entity(entity, text, leave_out):
    typed(entity, dict, "an entity", "an object")
    start, end = (
        typed(member(entity, key, "an entity"), int, f'"{key}"', "a whole number")
        for key in ("start", "end")
    )
    name = entity_name(entity, text[start:end], leave_out)
    return make_span(name, start, end, text)
