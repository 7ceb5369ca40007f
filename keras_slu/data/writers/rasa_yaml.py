"""Writes the YAML of Rasa: intents and their examples, with marked entities."""

import json
import re
from reprlib import repr as short

from keras_slu.data.rasa_marks import read_marks
from keras_slu.data.spans import pieces_of
from keras_slu.data.writers.common import intent_of
from keras_slu.data.writers.common import label_of
from keras_slu.data.writers.common import refusal
from keras_slu.data.writers.output import open_file
from keras_slu.data.yaml_nodes import NOT_YAML
from keras_slu.errors import InputError

_HEAD = 'version: "3.1"\nnlu:\n'
_PLAIN = re.compile("[A-Za-z_][A-Za-z0-9_/.+-]*")
_NOT_PLAIN = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
_BREAK = re.compile("[\n\r\x85\u2028\u2029]")


def write_rasa_yaml(utterances, path):
    """Writes the section `nlu`; intents in the order of their first utterances.

    Line breaks become spaces; white space at the ends of a text is lost, as
    Rasa does not read it. Square brackets in a text, which Rasa takes for
    marks, are refused.
    """
    examples = {}
    for utterance in utterances:
        label_of(utterance)  # refuses names that would be split
        intent = _scalar(intent_of(utterance), utterance)
        examples.setdefault(intent, []).append(f"    - {_marked(utterance)}\n")
    with open_file(path) as stream:
        stream.write(_HEAD)
        for intent, lines in examples.items():
            stream.write(f"- intent: {intent}\n  examples: |\n")
            stream.writelines(lines)


def _scalar(name, utterance):
    _check(name, utterance)
    if _PLAIN.fullmatch(name) and name.lower() not in _NOT_PLAIN:
        return name
    return "'" + name.replace("'", "''") + "'"


def _marked(utterance):
    text = _BREAK.sub(" ", utterance.text)
    _check(text, utterance)
    pieces = list(pieces_of(text, utterance.slots))
    marked = "".join([_mark(piece, name) for piece, name in pieces]).strip()
    slots = [(name, piece) for piece, name in pieces if name]
    if _read_back(marked) != (text.strip(), slots):
        raise refusal(
            utterance,
            f"Rasa cannot hold the text or the slots of {short(utterance.text)}",
            "Remove square brackets and other marks of Rasa, or convert to json-lines.",
        )
    return marked


def _mark(piece, name):
    if name is None:
        return piece
    if re.search("[():]", name):
        return f"[{piece}]{json.dumps({'entity': name}, ensure_ascii=False)}"
    return f"[{piece}]({name})"


def _read_back(marked):
    def ignore(*_):
        pass

    try:
        text, slots = read_marks(marked, ignore, ignore)
    except InputError:
        return None
    return text, [(slot.name, text[slot.start : slot.end]) for slot in slots]


def _check(text, utterance):
    unfit = NOT_YAML.search(text)
    if unfit:
        raise refusal(
            utterance,
            f"{short(text)} holds U+{ord(unfit[0]):04X}, which YAML does not allow",
            "Remove it, or convert to json-lines.",
        )
