"""The reader of snips-nlu datasets."""

import json

from reading import labels_of
from reading import read_bytes

from keras_slu.data.snips_nlu import iter_snips_nlu

PIECES = [{"text": "go "}, {"text": "home", "entity": "place", "slot_name": "to"}]
DATASET = {
    "language": "en",
    "intents": {
        "go": {"name": "ignored", "utterances": [{"data": PIECES}, 3]},
        "wait": {"utterances": []},
    },
    "entities": {"place": {"data": [{"value": "home", "synonyms": ["house"]}]}},
}


def test_slots_have_the_name_of_the_slot_not_of_the_entity(tmp_path):
    content = json.dumps(DATASET, indent=1)
    (utterance,), told = read_bytes(iter_snips_nlu, tmp_path / "a.json", content)
    assert utterance.text == "go home"
    assert labels_of(utterance) == (("go",), [("to", "home")])
    assert utterance.origin.endswith("a.json:7")
    assert told == [
        ("error", 19, "an example is 3"),
        ("warning", 26, "values and synonyms of entities are left out"),
    ]
