"""The reader of Snips 2017 JSON."""

import json

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.snips_json import iter_snips_json

GOOD = {"data": [{"text": "play "}, {"text": "it", "entity": "song"}, {"text": "."}]}


@pytest.fixture
def read(tmp_path):
    def read(content):
        return read_bytes(iter_snips_json, tmp_path / "a.json", json.dumps(content))

    return read


def test_reads_pieces_by_intent(read):
    utterances, told = read({"Play": [GOOD], "Stop": [{"data": [{"text": "stop"}]}]})
    assert told == []
    assert [(u.text, *labels_of(u)) for u in utterances] == [
        ("play it.", ("Play",), [("song", "it")]),
        ("stop", ("Stop",), []),
    ]


def test_white_space_at_the_ends_of_a_slot_is_left_outside(read):
    pieces = [{"text": "to"}, {"text": " Rome\u200b ", "entity": "city"}, {"text": "!"}]
    (utterance,), told = read({"Travel": [{"data": pieces}]})
    assert utterance.text == "to Rome\u200b !"
    assert labels_of(utterance)[1] == [("city", "Rome")]
    ((severity, line, problem),) = told
    assert (severity, line) == ("warning", 1)
    assert "'city' has white space at an end" in problem


@pytest.mark.parametrize(
    ("example", "problem"),
    [
        (3, "an example is 3"),
        ({}, 'an example without "data"'),
        ({"data": {}}, '"data" is {}'),
        ({"data": []}, "the text is empty"),
        ({"data": ["a"]}, "a piece in \"data\" is 'a'"),
        ({"data": [{"entity": "a"}]}, 'a piece without "text"'),
        ({"data": [{"text": 3}]}, 'the "text" of a piece is 3'),
        ({"data": [{"text": "a\ud83d"}]}, "holds U+D83D"),
        ({"data": [{"text": "a", "entity": 3}]}, '"entity" is 3'),
        ({"data": [{"text": "a", "entity": ""}]}, "the name '' is empty"),
        ({"data": [{"text": "a"}, {"text": " ", "entity": "b"}]}, "spans no token"),
    ],
)
def test_a_faulty_example_is_told_and_left_out(read, example, problem):
    utterances, told = read({"Play": [GOOD, example, GOOD]})
    assert len(utterances) == 2
    ((severity, line, text),) = told
    assert (severity, line) == ("error", 1)
    assert problem in text
