"""Writes JSON lines, which hold whatever an utterance holds."""

import json

from keras_slu.data.alignment import bio_tags
from keras_slu.data.writers.common import label_of
from keras_slu.data.writers.common import words_of
from keras_slu.data.writers.output import open_file


def write_json_lines(utterances, path):
    """Writes `text` (a list of words, if it has tokens), `intents`, `slots`."""
    with open_file(path) as stream:
        for utterance in utterances:
            label_of(utterance)  # refuses names that would be split
            item = {
                "text": _text_of(utterance),
                "intents": utterance.intents,
                "slots": slots_of(utterance),
            }
            stream.write(json.dumps(item, ensure_ascii=False) + "\n")


def _text_of(utterance):
    if not utterance.tokens:
        return utterance.text
    tokens = words_of(utterance)
    bio_tags(utterance, tokens)  # raises when a slot cuts through a token
    return [token.text for token in tokens]


def slots_of(utterance):
    """The slots as `read_spans` reads them."""
    return [_slot(slot, utterance.text) for slot in utterance.slots]


def _slot(slot, text):
    start, end = slot.start, slot.end
    return {"name": slot.name, "start": start, "end": end, "value": text[start:end]}
