"""Reads the original JSON of KVRET, which labels dialogues, not words."""

from keras_slu.data.dialogue import Dialogue
from keras_slu.data.dialogue import Turn
from keras_slu.data.json_document import iter_examples
from keras_slu.data.json_values import intent_names
from keras_slu.data.json_values import member
from keras_slu.data.json_values import string
from keras_slu.data.json_values import typed
from keras_slu.data.report import raise_errors
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_text
from keras_slu.errors import InputError

_SPEAKERS = {"driver": "user", "assistant": "system"}


def iter_kvret_json(path, report=raise_errors):
    """Reads a list of dialogues of the in-car assistant.

    Every turn of the driver gets the dialogue's one intent. No turn has slots:
    the data tell the values that a dialogue is about, not where they are said.

    Args:
        path: path, which may be `.gz`. The whole text is held in memory.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Dialogue`, those with a turn that has words.

    Reference: Eric et al., "Key-Value Retrieval Networks for Task-Oriented
    Dialogue", 2017.
    """
    return iter_examples(path, lambda document: document.items(), _read, report)


def _read(example, _, origin, warn):
    typed(example, dict, "a dialogue", "an object")
    scenario = _object(example, "scenario", "a dialogue")
    task = _object(scenario, "task", "a scenario")
    intents = intent_names(member(task, "intent", "a task"), '"intent"')
    turns = typed(
        member(example, "dialogue", "a dialogue"), list, '"dialogue"', "a list"
    )
    read = [_read_turn(turn, intents, origin, warn) for turn in turns]
    read = tuple(turn for turn in read if turn is not None)
    if not read:
        warn(InputError("a dialogue without words", "Remove it; it is left out."))
        return None
    name = string(scenario.get("uuid", ""), '"uuid"')
    return Dialogue(read, name, origin)


def _read_turn(item, intents, origin, warn):
    typed(item, dict, "a turn", "an object")
    speaker = member(item, "turn", "a turn")
    if speaker not in _SPEAKERS:
        raise InputError(f'"turn" is {speaker!r:.40}', "Write driver or assistant.")
    text = string(
        member(_object(item, "data", "a turn"), "utterance", "a turn"), '"utterance"'
    ).strip()
    try:
        check_text(text)
    except InputError:
        warn(InputError("a turn without words", "Remove it; it is left out."))
        return None
    is_user = speaker == "driver"
    utterance = Utterance(text, intents=intents if is_user else (), origin=origin)
    return Turn(_SPEAKERS[speaker], utterance)


def _object(item, key, what):
    return typed(member(item, key, what), dict, f'"{key}"', "an object")
