"""Names of answers, and Frames of them."""

import numpy as np
import pytest

from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot
from keras_slu.parsing.frames import FrameMaker
from keras_slu.parsing.frames import slots_of

MAKER = FrameMaker(["stop", "play#stop", "", "play"], ["O", "B-x", "I-x"])


def make_answer(probabilities, tags=(), confidence=(), **more):
    return {
        "intent_probabilities": np.array(probabilities, np.float32),
        "tags": np.array(tags, np.int32),
        "slot_confidence": np.array(confidence, np.float32),
        "is_unknown": np.False_,
        "truncated": False,
        **more,
    }


def test_names_end_with_outside_beyond_the_cut():
    answer = make_answer([0, 1, 0, 0], [1, 0])
    named = MAKER.named(answer, 4)
    assert named["tags"] == ["B-x", "O", "O", "O"]
    assert named["intents"] == ("play", "stop")
    assert MAKER.named(answer, 0)["tags"] == []
    assert answer["tags"].tolist() == [1, 0]  # as it was


def test_a_class_counts_for_each_of_its_intents():
    answer = make_answer([0.25, 0.5, 0.125, 0.125])
    assert MAKER.frame("", [], [], answer).intents == (
        Intent("stop", 0.75, True),
        Intent("play", 0.625, True),
    )


def test_the_active_intents_are_those_of_the_best_class_alone():
    frame = MAKER.frame("", [], [], make_answer([0.3, 0.3, 0.0, 0.4]))
    assert frame.active_intents == ("play",)
    assert MAKER.frame("", [], [], make_answer([0, 0, 1, 0])).active_intents == ()


def test_equal_intents_are_ranked_by_name():
    frame = MAKER.frame("", [], [], make_answer([0.5, 0, 0, 0.5]))
    assert [intent.name for intent in frame.intents] == ["play", "stop"]
    assert frame.active_intents == ("stop",)  # the first of equal classes


def test_no_probability_is_above_one():
    answer = make_answer([0, 1.0000002, 0, 0], [1], [1.0000001])
    frame = MAKER.frame("a", [0], [1], answer)
    assert {intent.probability for intent in frame.intents} == {1.0}
    assert frame.slots[0].confidence == 1.0


def test_padding_is_no_token():
    # An empty text is one unknown token, whatever its tag.
    frame = MAKER.frame("", [-1], [-1], make_answer([1, 0, 0, 0], [1], [0.5]))
    assert frame.slots == ()
    answer = make_answer([1, 0, 0, 0], [1, 2, -1], [0.5, 0.5, 0])
    frame = MAKER.frame("ab cd", np.array([0, 3, -1]), np.array([2, 5, -1]), answer)
    assert frame.slots == (Slot("x", "ab cd", 0, 5, 0.5),)


@pytest.mark.parametrize("flag", ["is_unknown", "truncated"])
def test_flags_reach_the_frame(flag):
    for value in (np.True_, np.False_):
        answer = make_answer([1, 0, 0, 0], **{flag: value})
        assert getattr(MAKER.frame("", [], [], answer), flag) is bool(value)


def test_slots_of_reads_bio_as_conlleval():
    tags = ["I-x", "I-x", "B-x", "", "I-y"]
    slots = slots_of("a b c d e", [0, 2, 4, 6, 8], [1, 3, 5, 7, 9], tags, 5 * [0.5])
    found = [(slot.name, slot.value, slot.start, slot.end) for slot in slots]
    assert found == [("x", "a b", 0, 3), ("x", "c", 4, 5), ("y", "e", 8, 9)]


def test_active_intents_of_a_set_are_those_that_the_model_says():
    maker = FrameMaker(["stop", "play", "ask"], ["O"])
    answer = make_answer([0.6, 0.25, 0.75], intent_active=np.array([1, 0, 1]))
    frame = maker.frame("", [], [], answer)
    assert frame.intents == (
        Intent("ask", 0.75, True),
        Intent("stop", pytest.approx(0.6), True),
        Intent("play", 0.25, False),
    )
    assert maker.named(answer, 0)["intents"] == ("stop", "ask")
    none = make_answer([0.6, 0.25, 0.75], intent_active=np.zeros(3, bool))
    assert maker.frame("", [], [], none).active_intents == ()
