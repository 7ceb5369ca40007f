"""Writes the JSON of the Snips 2017 benchmark: texts in pieces, by intent."""

import json

from keras_slu.data.spans import pieces_of
from keras_slu.data.writers.common import check_bounds
from keras_slu.data.writers.common import intent_of
from keras_slu.data.writers.common import label_of
from keras_slu.data.writers.output import open_file


def write_snips_json(utterances, path):
    """Writes `{intent: [{"data": [{"text": ..., "entity": ...}, ...]}, ...]}`.

    Intents come in the order of their first utterances.
    """
    examples = {}
    for utterance in utterances:
        label_of(utterance)  # refuses names that would be split
        check_bounds(utterance)
        pieces = pieces_of(utterance.text, utterance.slots)
        data = [{"text": p, "entity": n} if n else {"text": p} for p, n in pieces]
        examples.setdefault(intent_of(utterance), []).append(_dump({"data": data}))
    intents = [
        f" {_dump(intent)}: [\n  " + ",\n  ".join(lines) + "\n ]"
        for intent, lines in examples.items()
    ]
    with open_file(path) as stream:
        stream.write("{\n" + ",\n".join(intents) + "\n}\n")


def _dump(value):
    return json.dumps(value, ensure_ascii=False)
