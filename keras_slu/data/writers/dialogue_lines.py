"""Writes JSON lines of dialogues, which hold all turns of both sides."""

import json

from keras_slu.data.alignment import bio_tags
from keras_slu.data.writers.common import label_of
from keras_slu.data.writers.json_lines import slots_of
from keras_slu.data.writers.output import open_file
from keras_slu.errors import InputError


def write_dialogue_lines(dialogues, path):
    """Writes dialogues, whole or not at all, so that `read_dialogues` gives them back.

    Args:
        dialogues: iterable of `Dialogue`. It is read once.
        path: path of the file, compressed if it ends with `.gz`.

    Returns:
        int, how many dialogues were written.

    Raises:
        InputError: a turn that the format cannot hold, with its origin, or no
            dialogue. Nothing is written then.

    Example:

    >>> import tempfile
    >>> from keras_slu.data import read_dialogues
    >>> path = f"{tempfile.mkdtemp()}/dev.jsonl"
    >>> dialogues = read_dialogues("embedded:home-dialogues/dev")
    >>> write_dialogue_lines(dialogues, path) == len(dialogues)
    True
    """
    count = 0
    with open_file(path) as stream:
        for dialogue in dialogues:
            count += 1
            item = {"turns": [_turn(turn) for turn in dialogue.turns]}
            if dialogue.name:
                item = {"dialogue_id": dialogue.name, **item}
            stream.write(json.dumps(item, ensure_ascii=False) + "\n")
        if not count:
            raise InputError("no dialogue to write", "Give some.")
    return count


def _turn(turn):
    utterance = turn.utterance
    label_of(utterance)  # refuses names that would be split
    item = {"speaker": turn.speaker, "text": utterance.text}
    if utterance.tokens:
        item["tokens"] = [token.text for token in utterance.tokens]
        item["tags"] = bio_tags(utterance, utterance.tokens)
    elif utterance.slots:
        item["slots"] = slots_of(utterance)
    if utterance.intents:
        item["intent"] = utterance.intents
    if turn.acts:
        item["acts"] = turn.acts
    return item
