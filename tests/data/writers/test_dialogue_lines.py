"""Dialogues that are written come back as they were."""

import pytest

from keras_slu.data import read
from keras_slu.data import read_dialogues
from keras_slu.data.dialogue import Dialogue
from keras_slu.data.dialogue import Turn
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.data.utterance import Utterance
from keras_slu.data.writers.dialogue_lines import write_dialogue_lines
from keras_slu.errors import InputError


def said(text, *slots, intents=()):
    return Utterance(text, slots=slots, intents=intents, origin="f:7")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "dialogues.jsonl"


def test_all_turns_come_back(path):
    slot = SlotSpan("city", 0, 4)
    tokens = (Token("rome", 0, 4), Token("?", 4, 5))
    asked = Utterance("rome?", tokens, (slot,), ("go", "ask"))
    turns = (
        Turn("system", said("Hello?")),
        Turn("user", asked, ("INFORM", "THANK")),
        Turn("system", said("When?"), ("REQUEST",)),
    )
    dialogues = [Dialogue(turns, "d1"), Dialogue(turns[1:2])]
    assert write_dialogue_lines(dialogues, path) == 2
    assert read_dialogues(path) == dialogues


def test_slots_of_texts_without_tokens(path):
    turn = Turn("user", said("to rome.", SlotSpan("city", 3, 7)))
    write_dialogue_lines([Dialogue((turn,))], path)
    assert read_dialogues(path) == [Dialogue((turn,))]


@pytest.mark.parametrize("name", ["kvret", "m2m/sim_m", "sgd"])
def test_real_dialogues_come_back(shared_data, path, name):
    source = sorted(shared_data(name).glob("*dev*.jsonl.gz"))[0]
    dialogues = read_dialogues(source)
    write_dialogue_lines(dialogues, path)
    assert read_dialogues(path) == dialogues
    assert read(path) == read(source)


def test_a_slot_that_cuts_through_a_token(path):
    tokens = (Token("no", 0, 2), Token("rush", 3, 7))
    bad = Utterance("no rush", tokens, (SlotSpan("when", 4, 6),), origin="f:7")
    with pytest.raises(InputError, match="when") as refusal:
        write_dialogue_lines([Dialogue((Turn("user", bad),))], path)
    assert refusal.value.line == 7
    assert not path.exists()


def test_nothing_to_write(path):
    with pytest.raises(InputError, match="no dialogue"):
        write_dialogue_lines([], path)
    assert not path.exists()
