"""Reading dialogues: the form, its faults, and the data that come in it."""

import gzip
import json

import pytest

from keras_slu.data.alignment import bio_tags
from keras_slu.data.dialogue import Dialogue
from keras_slu.data.dialogue import Turn
from keras_slu.data.dialogue_lines import iter_dialogue_lines
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.data.utterance import Utterance
from keras_slu.errors import InputError

USER = {
    "speaker": "user",
    "text": "Lamp's  on?",
    "tokens": ["Lamp", "'s", "on", "?"],
    "tags": ["B-thing", "O", "O", "O"],
    "intent": "ask#check",
    "acts": [{"type": "REQUEST", "slot": "state"}, {"type": "REQUEST"}],
}
SYSTEM = {"speaker": "system", "tokens": ["It", "is", "."], "acts": ["INFORM"]}


def write(path, *dialogues):
    with open(path, "w") as stream:
        for dialogue in dialogues:
            print(json.dumps(dialogue), file=stream)
    return path


def test_a_dialogue(tmp_path):
    path = write(
        tmp_path / "x.jsonl",
        {"dialogue_id": "a-1", "turns": [USER, SYSTEM]},
        {"turns": [SYSTEM, {"speaker": "user", "text": "go on"}]},
    )
    first, second = iter_dialogue_lines(path)
    words = ("Lamp", 0, 4), ("'s", 4, 6), ("on", 8, 10), ("?", 10, 11)
    asked = Utterance(
        "Lamp's  on?",
        tuple(Token(*word) for word in words),
        (SlotSpan("thing", 0, 4),),
        ("ask", "check"),
    )
    words = ("It", 0, 2), ("is", 3, 5), (".", 6, 7)
    told = Turn(
        "system",
        Utterance("It is .", tuple(Token(*word) for word in words)),
        ("INFORM",),
    )
    assert first == Dialogue((Turn("user", asked, ("REQUEST",)), told), "a-1")
    assert second == Dialogue((told, Turn("user", Utterance("go on"))))
    assert (first.origin, second.origin) == (f"{path}:1", f"{path}:2")
    assert first.turns[0].utterance.origin == f"{path}:1"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"speaker": "robot"}, "turn 2: \"speaker\" is 'robot'. Write"),
        ({"speaker": None}, 'turn 2: "speaker" is None'),
        ({"tokens": []}, 'turn 2: "tokens" is empty'),
        ({"tokens": ["Lamp", "is", "on", "?"]}, "turn 2: the word 'is' is not in"),
        ({"tokens": ["Lamp", "'s"]}, "turn 2: no word is given for the end"),
        ({"tokens": ["Lamp", "'s  on", "?"]}, 'turn 2: the word "\'s  on" holds'),
        ({"tags": ["O"]}, "turn 2: 4 words but 1 tags"),
        ({"slots": []}, 'turn 2: both "tags" and "slots"'),
        ({"tags": ["O", "thing", "O", "O"]}, "turn 2: the tag 'thing' is not BIO"),
        ({"tags": ["O", 7, "O", "O"]}, 'turn 2: a tag in "tags" is 7'),
        ({"intent": ""}, "turn 2: the name '' is empty"),
        ({"acts": [{"slot": "x"}]}, 'turn 2: an act without "type"'),
        ({"acts": "INFORM"}, "turn 2: \"acts\" is 'INFORM'. Make it a list."),
        ({"text": "a\ud800b", "tokens": ["a"]}, 'turn 2: "text" holds U+D800'),
    ],
)
def test_faults_of_a_turn(tmp_path, change, message):
    path = write(tmp_path / "x.jsonl", {"turns": [SYSTEM, {**USER, **change}]})
    with pytest.raises(InputError) as caught:
        list(iter_dialogue_lines(path))
    assert str(caught.value).startswith(f"{path}:1: {message}")


@pytest.mark.parametrize(
    "dialogue, message",
    [
        ([], "the line is []"),
        ({}, 'a dialogue without "turns"'),
        ({"turns": []}, '"turns" is empty'),
        ({"turns": "x"}, "\"turns\" is 'x'"),
        ({"turns": [SYSTEM], "dialogue_id": 4}, '"dialogue_id" is 4'),
        ({"turns": ["hello"]}, "turn 1: it is 'hello'"),
        ({"turns": [{"text": "hello"}]}, 'turn 1: a turn without "speaker"'),
        ({"turns": [{"speaker": "user"}]}, 'turn 1: neither "text" nor "tokens"'),
        ({"turns": [{"speaker": "user", "text": " "}]}, "turn 1: the text is empty"),
    ],
)
def test_faults_of_a_dialogue(tmp_path, dialogue, message):
    path = write(tmp_path / "x.jsonl", {"turns": [SYSTEM]}, dialogue)
    with pytest.raises(InputError) as caught:
        list(iter_dialogue_lines(path))
    assert str(caught.value).startswith(f"{path}:2: {message}")


def test_a_reader_told_to_go_on_goes_on(tmp_path):
    orphan = {**USER, "tags": ["O", "I-thing", "O", "O"]}
    path = write(
        tmp_path / "x.jsonl", {"turns": [SYSTEM, orphan]}, {}, {"turns": [USER]}
    )
    told = []
    dialogues = list(iter_dialogue_lines(path, lambda *fault: told.append(fault)))
    assert [len(dialogue.turns) for dialogue in dialogues] == [2, 1]
    assert dialogues[0].turns[1].utterance.slots == (SlotSpan("thing", 4, 6),)
    assert [(severity, fault.line) for severity, fault in told] == [
        ("warning", 1),
        ("error", 2),
    ]
    assert told[0][1].problem.startswith("turn 2: the tag 'I-thing' of word 2")


# User turns and intents as the SOURCE.md files count them.
@pytest.mark.parametrize(
    "name, dialogues, user_turns, intents",
    [
        ("kvret/dev", 302, 777, 4),
        ("m2m/sim_m/dev", 120, 627, 1),
        ("sgd/dev", 74, 568, 33),
    ],
)
def test_real_data(shared_data, name, dialogues, user_turns, intents):
    path = shared_data(f"{name}.jsonl.gz")
    found = list(iter_dialogue_lines(path))
    assert len(found) == dialogues
    users = [t for d in found for t in d.turns if t.speaker == "user"]
    assert len(users) == user_turns
    assert len({turn.utterance.intents for turn in users}) == intents
    with gzip.open(path, "rt") as stream:
        for dialogue, line in zip(found, stream, strict=True):
            for turn, item in zip(
                dialogue.turns, json.loads(line)["turns"], strict=True
            ):
                check_turn(turn, item)


def check_turn(turn, item):
    tokens = turn.utterance.tokens
    assert [token.text for token in tokens] == item["tokens"]
    for token in tokens:
        assert turn.utterance.text[token.start : token.end] == token.text
    if "tags" in item:
        assert bio_tags(turn.utterance, tokens) == item["tags"]


def test_slots_with_offsets(tmp_path):
    slot = {"name": "city", "start": 3, "end": 7}
    turn = {"speaker": "user", "text": "to rome.", "slots": [slot]}
    [dialogue] = iter_dialogue_lines(write(tmp_path / "x.jsonl", {"turns": [turn]}))
    assert dialogue.turns[0].utterance.slots == (SlotSpan("city", 3, 7),)
    assert dialogue.turns[0].utterance.tokens == ()
