"""The reader of the old JSON of Rasa."""

import json

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.rasa_json import iter_rasa_json

ENTITY = {"start": 3, "end": 7, "entity": "city"}
GOOD = {
    "text": "to Rome",
    "intent": "travel",
    "entities": [{**ENTITY, "value": "Rome"}],
}


@pytest.fixture
def read(tmp_path):
    def read(*examples, **sections):
        content = {"rasa_nlu_data": {"common_examples": examples, **sections}}
        content = json.dumps(content)
        return read_bytes(iter_rasa_json, tmp_path / "a.json", content)

    return read


def test_reads_examples(read):
    utterances, told = read(GOOD, {"text": "hi"}, {"text": "ho", "intent": ""})
    assert told == []
    assert labels_of(utterances[0]) == (("travel",), [("city", "Rome")])
    assert [utterance.intents for utterance in utterances[1:]] == [(), ()]


def test_what_is_left_out_is_named(read):
    entity = {**ENTITY, "value": "Roma", "role": "to", "group": "1"}
    (utterance,), told = read(
        {**GOOD, "entities": [entity]}, lookup_tables=[{}], regex_features=[]
    )
    assert labels_of(utterance)[1] == [("city.to", "Rome")]
    assert told == [
        ("warning", None, "values of entities that are not in the text are left out"),
        ("warning", None, "groups of entities are left out"),
        ("warning", 1, "sections 'lookup_tables' are left out"),
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"text": ""}, "the text is empty"),
        ({"text": None}, '"text" is None'),
        ({"intent": 3}, '"intent" is 3'),
        ({"entities": "x"}, '"entities" is'),
        ({"entities": [{**ENTITY, "start": 7, "end": 3}]}, "7:3 is no stretch"),
        ({"entities": [{**ENTITY, "end": 8}]}, "3:8 is no stretch"),
        ({"entities": [{**ENTITY, "end": "7"}]}, "\"end\" is '7'"),
        ({"entities": [ENTITY, {**ENTITY, "start": 5}]}, "overlaps"),
        ({"entities": [{"start": 3, "end": 7}]}, 'without "entity"'),
    ],
)
def test_a_faulty_example_is_told_and_left_out(read, change, problem):
    utterances, told = read(GOOD, {**GOOD, **change}, GOOD)
    assert len(utterances) == 2
    ((severity, line, text),) = told
    assert (severity, line) == ("error", 1)
    assert problem in text
