"""Dialogues: a state that is carried, and whole dialogues at once."""

import json

import numpy as np
import pytest
from untrained_dialogue import MAX_HISTORY
from untrained_dialogue import draw_dialogues
from untrained_dialogue import make_model

from keras_slu.data.dialogue import dialogues_of
from keras_slu.errors import InputError
from keras_slu.parsing.parser import make_parser


@pytest.fixture(scope="module", params=[False, True], ids=["user", "both"])
def parser(request):
    return make_parser(make_model(system_turns=request.param))


@pytest.fixture(scope="module")
def utterances():
    return draw_dialogues(np.random.default_rng(1))


def test_a_carried_state_answers_as_whole_dialogues_do(parser, utterances):
    frames, answers = parser.frames_of(utterances), parser.answers_of(utterances)
    assert any(frame.truncated for frame in frames)
    for frame, answer in zip(frames, answers, strict=True):
        assert sorted(frame.active_intents) == sorted(answer["intents"])
        assert frame.truncated == answer["truncated"]
        starts = [slot.confidence for slot in frame.slots]
        begins = [c for c in answer["slot_confidence"] if c > 0]
        assert all(np.isclose(begins, c, atol=1e-5).any() for c in starts)
        ours = sorted(intent.probability for intent in frame.intents)
        theirs = answer["intent_probabilities"] @ parser._maker.members
        np.testing.assert_allclose(ours, sorted(theirs), atol=1e-5)


def test_sessions_that_go_on_side_by_side_do_not_meet(parser, utterances):
    expected = parser.frames_of(utterances)
    dialogues = dialogues_of(utterances)
    sessions = [parser.dialogue() for _ in dialogues]
    for number in range(max(map(len, dialogues))):
        for session, places in zip(sessions, dialogues, strict=True):
            if number < len(places):
                said = utterances[places[number]]
                session.hear(said.prompts[0].text)
                frame = session.parse(said.text)
                assert frame.active_intents == expected[places[number]].active_intents
                assert frame.slots == pytest.approx(frame.slots)


def test_history_makes_a_difference(parser):
    first = parser.parse("play the hey").intents
    _, state = parser.turn(None, "book rome jude jude")
    frame, _ = parser.turn(state, "play the hey")
    moved = {intent.name: intent.probability for intent in first}
    gaps = [abs(moved[intent.name] - intent.probability) for intent in frame.intents]
    assert max(gaps) > 1e-3


def test_what_the_system_says_is_heard_where_it_was_in_training(parser):
    (state,) = parser.hear([None], ["book rome"])
    if parser.model.system_turns:
        assert state["history_ids"][:3].tolist()[0] == -1
        assert state["history_results"][:3].tolist() == [-1] * 3
    else:
        assert state is None


def test_the_state_is_small_of_fixed_shape_and_goes_through_json(parser):
    _, state = parser.turn(None, "play hey jude")
    for name, values in state.items():
        assert values.dtype == np.int32
        assert values.shape == ((2,) if name == "fingerprint" else (MAX_HISTORY,))
    again = json.loads(json.dumps({n: values.tolist() for n, values in state.items()}))
    ours, theirs = parser.turn(state, "the hey")[0], parser.turn(again, "the hey")[0]
    assert ours == theirs


def test_odd_turns_get_an_answer(parser):
    session = parser.dialogue()
    for text in ("", " \0", "play " * 1000, "\ud800", "hey"):
        frame = session.parse(text)
        assert frame.text == text
        assert frame.truncated == (len(text) > 100)


def test_foreign_states_are_refused(parser):
    other = make_parser(make_model(system_turns=True, max_turns=3))
    _, state = other.turn(None, "play hey jude")
    with pytest.raises(InputError, match="another model"):
        parser.turn(state, "hey")
    _, state = parser.turn(None, "play hey jude")
    for name, value in (
        ("fingerprint", np.zeros(2, np.int32)),
        ("history_ids", np.zeros(3, np.int32)),
        ("history_turns", "x"),
    ):
        with pytest.raises(InputError, match="another model"):
            parser.turn({**state, name: value}, "hey")
    with pytest.raises(InputError, match="another model"):
        parser.turn({}, "hey")
