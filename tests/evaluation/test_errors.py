"""What each error is called, and what its record says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from parses import gold
from parses import parsed

from keras_slu.data.utterance import SlotSpan
from keras_slu.evaluation.errors import answer_confidence
from keras_slu.evaluation.errors import error_record
from keras_slu.evaluation.errors import severity
from keras_slu.evaluation.errors import slot_errors
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot


def kinds(wanted, given):
    errors = slot_errors(
        [SlotSpan(*slot) for slot in wanted],
        [Slot(name, "", start, end, 0.5) for name, start, end in given],
    )
    return [error.kind for error in errors]


@pytest.mark.parametrize(
    ("wanted", "given", "expected"),
    [
        ([("a", 0, 4)], [("a", 0, 4)], []),
        ([("a", 0, 4)], [("a", 0, 6)], ["boundary"]),
        ([("a", 0, 4)], [("b", 0, 4)], ["type"]),
        ([("a", 0, 4)], [("b", 2, 6)], ["type"]),
        ([("a", 0, 4)], [], ["missed"]),
        ([], [("a", 0, 4)], ["spurious"]),
        # They touch but share no character.
        ([("a", 0, 4)], [("a", 4, 6)], ["missed", "spurious"]),
        # One slot in two: the first half stands for it.
        ([("a", 0, 9)], [("a", 0, 4), ("a", 5, 9)], ["boundary", "spurious"]),
        ([("a", 0, 4), ("a", 5, 9)], [("a", 0, 9)], ["boundary", "missed"]),
        # The same bounds go before the same name.
        ([("a", 0, 4), ("b", 5, 9)], [("b", 0, 4)], ["type", "missed"]),
        ([("a", 0, 6)], [("b", 0, 2), ("a", 3, 6)], ["boundary", "spurious"]),
        # A right slot stands for nothing else.
        ([("a", 0, 4), ("a", 5, 9)], [("a", 5, 9)], ["missed"]),
    ],
)
def test_kinds(wanted, given, expected):
    assert sorted(kinds(wanted, given)) == sorted(expected)


@st.composite
def slots(draw):
    cuts = sorted(draw(st.sets(st.integers(0, 12), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return [(draw(st.sampled_from("abc")), start, end) for start, end in pairs]


@given(slots(), slots())
def test_every_wrong_slot_is_in_one_error(wanted, given):
    errors = slot_errors(
        [SlotSpan(*slot) for slot in wanted],
        [Slot(name, "", start, end, 0.5) for name, start, end in given],
    )
    found_gold = [error.gold for error in errors if error.gold]
    found = [error.predicted for error in errors if error.predicted]
    assert sorted((s.name, s.start, s.end) for s in found_gold) == sorted(
        set(wanted) - set(given)
    )
    assert sorted((s.name, s.start, s.end) for s in found) == sorted(
        set(given) - set(wanted)
    )
    starts = [(error.gold or error.predicted).start for error in errors]
    assert starts == sorted(starts)


def test_confidence_is_that_of_the_least_sure_intent():
    intents = (Intent("a", 0.9, True), Intent("b", 0.6, True), Intent("c", 0.1, False))
    assert answer_confidence(Frame("x", intents, ())) == 0.6


def test_no_intent_is_as_sure_as_the_best_one_is_not():
    assert answer_confidence(Frame("x", (Intent("a", 0.25, False),), ())) == 0.75
    assert answer_confidence(Frame("x", (), ())) == 1.0


def test_a_right_parse_has_no_record():
    wanted = gold("play jude", "play loud", ("song", 5, 9))
    given = parsed("play jude", "loud play", ("song", 5, 9, 0.9))
    assert error_record(wanted, given) is None


def test_a_record_says_everything():
    wanted = gold("play hey jude now", "play", ("song", 5, 13))
    given = parsed(
        "play hey jude now", "stop", ("song", 9, 13, 0.5), ("when", 14, 17, 0.875)
    )
    record = error_record(wanted, given)
    json.dumps(record)
    assert record["text"] == "play hey jude now"
    assert record["origin"] == "f:1"
    assert record["gold"] == {
        "intents": ["play"],
        "slots": [{"name": "song", "value": "hey jude", "start": 5, "end": 13}],
    }
    assert record["predicted"]["intents"] == [{"name": "stop", "probability": 0.75}]
    assert [slot["confidence"] for slot in record["predicted"]["slots"]] == [0.5, 0.875]
    assert [error["kind"] for error in record["errors"]] == [
        "intent",
        "boundary",
        "spurious",
    ]
    intent, boundary, spurious = record["errors"]
    assert (intent["gold"], intent["predicted"]) == (["play"], ["stop"])
    assert boundary["gold"]["value"] == "hey jude"
    assert boundary["predicted"]["value"] == "jude"
    assert spurious["gold"] is None
    assert severity(record) == 0.875


def test_what_was_missed_has_no_confidence():
    record = error_record(gold("a b", "x", ("s", 0, 1)), parsed("a b", "x"))
    assert record["errors"][0]["confidence"] is None
    assert severity(record) == 0.0
