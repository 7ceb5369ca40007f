"""The reader of SLURP lines."""

import json

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.slurp import iter_slurp

ITEM = {
    "sentence": "What's on this friday",
    "tokens": [{"surface": w, "id": 7} for w in ("What", "'s", "on", "this", "Friday")],
    "entities": [{"type": "date", "span": [3, 4]}],
    "intent": "calendar_query",
    "scenario": "calendar",
}


@pytest.fixture
def read(tmp_path):
    def read(*items):
        lines = "".join(json.dumps(item) + "\n" for item in items)
        return read_bytes(iter_slurp, tmp_path / "devel.jsonl", lines)

    return read


def test_entities_are_placed_in_the_sentence(read):
    (utterance,), told = read(ITEM)
    assert told == []
    assert (utterance.text, utterance.tokens) == ("What's on this friday", ())
    assert labels_of(utterance) == (("calendar_query",), [("date", "this friday")])


def entity(**change):
    return {"entities": [{"type": "date", "span": [3, 4], **change}]}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (entity(span=[4, 3]), "has the span [4, 3]"),
        (entity(span=[1, 3]), "has the span [1, 3]"),
        (entity(span=[4, 5]), "has the span [4, 5] of 5 tokens"),
        (entity(span=[-1, 0]), "has the span [-1, 0] of 5 tokens"),
        (entity(span=[]), "has the span []"),
        (entity(span="3"), "\"span\" is '3'"),
        (entity(span=[1.5]), "a place in a span is 1.5"),
        (entity(type=""), "the name '' is empty"),
        ({"entities": 2 * entity()["entities"]}, "overlaps"),
        ({"entities": [3]}, "an entity is 3"),
        ({"sentence": "What's on"}, "the word 'this' is not in the text"),
        ({"sentence": "What's on this friday night"}, "no word is given"),
        ({"tokens": [{}]}, 'a token without "surface"'),
        ({"intent": None}, '"intent" is None'),
    ],
)
def test_a_faulty_line_is_told_and_left_out(read, change, problem):
    utterances, told = read(ITEM, {**ITEM, **change}, ITEM)
    assert len(utterances) == 2
    ((severity, line, text),) = told
    assert (severity, line) == ("error", 2)
    assert problem in text
