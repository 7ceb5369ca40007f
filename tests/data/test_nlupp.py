"""The reader of NLU++."""

import json

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.nlupp import iter_nlupp

GOOD = {
    "text": "book 2 rooms today",
    "intents": ["book", "room"],
    "slots": {
        "date": {"text": "today", "span": [13, 18], "value": {"day": 1}},
        "number": {"text": "2", "span": [5, 6]},
    },
}


@pytest.fixture
def read(tmp_path):
    def read(*examples):
        return read_bytes(iter_nlupp, tmp_path / "a.json", json.dumps(examples))

    return read


def test_several_intents_or_none(read):
    (first, second), told = read(GOOD, {"text": "hm"})
    assert told == []
    assert labels_of(first) == (("book", "room"), [("number", "2"), ("date", "today")])
    assert labels_of(second) == ((), [])


def slot(**change):
    return {"slots": {"number": {"span": [5, 6], **change}, "a": {"span": [0, 4]}}}


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"intent": "book"}, "an example with 'intent'"),
        ({"intents": ["a", 3]}, 'a name in "intents" is 3'),
        ({"intents": None}, '"intents" is None'),
        ({"slots": []}, '"slots" is []'),
        ({"slots": {"a": 3}}, "slot 'a' is 3"),
        ({"slots": {"a": {}}}, "slot 'a' without \"span\""),
        (slot(span=[5]), '"span" has 1 bounds'),
        (slot(span=["5", 6]), "a bound is '5'"),
        (slot(span=[6, 5]), "6:5 is no stretch"),
        (slot(span=[5, 19]), "5:19 is no stretch"),
        (slot(span=[2, 6]), "overlaps"),
        ({"text": " "}, "the text is empty"),
    ],
)
def test_a_faulty_example_is_told_and_left_out(read, change, problem):
    utterances, told = read(GOOD, {**GOOD, **change}, GOOD)
    assert len(utterances) == 2
    ((severity, line, text),) = told
    assert (severity, line) == ("error", 1)
    assert problem in text
