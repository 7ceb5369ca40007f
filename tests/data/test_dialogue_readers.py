"""The formats of dialogues: their lines and JSON, their faults, real data."""

import pytest

from keras_slu.data import read
from keras_slu.data import read_dialogues
from keras_slu.data.dialogue_iob import iter_dialogue_iob
from keras_slu.data.kvret_json import iter_kvret_json
from keras_slu.errors import InputError

IOB = "Yes ?\nplay it|||O B-x|||a#b\nok\n\n\nstop|||O|||c\n"
KVRET = """[
{"dialogue": [
  {"turn": "driver", "data": {"utterance": " play it "}},
  {"turn": "assistant", "data": {"utterance": "Yes."}},
  {"turn": "driver", "data": {"utterance": ""}}],
 "scenario": {"task": {"intent": "a"}, "uuid": "7"}}]
"""


def test_lines_of_turns(tmp_path):
    path = tmp_path / "a.iob"
    path.write_text(IOB)
    first, second = read_dialogues(path)
    assert [turn.speaker for turn in first.turns] == ["system", "user", "system"]
    assert first.turns[1].utterance.intents == ("a", "b")
    assert [slot.name for slot in first.turns[1].utterance.slots] == ["x"]
    assert (first.origin, second.origin) == (f"{path}:1", f"{path}:6")
    assert second.turns[0].utterance.origin == f"{path}:6"
    assert [utterance.turn for utterance in read(path)] == [0, 0]


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("a|||O|||x\nb|||O\n", 2, "words|||tags|||intent"),
        ("a b|||O|||x\n", 1, "2 words but 1 tags"),
        ("a|||Q|||x\n", 1, "not BIO"),
        ("a|||O|||\n", 1, "name"),
    ],
)
def test_a_faulty_turn_takes_its_dialogue_with_it(tmp_path, content, line, problem):
    path = tmp_path / "a.iob"
    path.write_text(content + "c|||O|||x\n\nd|||O|||y\n")
    with pytest.raises(InputError, match=problem) as caught:
        list(iter_dialogue_iob(path))
    assert caught.value.line == line
    faults = []
    kept = list(iter_dialogue_iob(path, lambda *fault: faults.append(fault)))
    assert [severity for severity, _ in faults] == ["error"]
    assert [one.turns[0].utterance.text for one in kept] == ["d"]


def test_kvrets_own_json(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(KVRET)
    warnings = []
    (dialogue,) = iter_kvret_json(path, lambda *fault: warnings.append(fault))
    assert dialogue.name == "7"
    texts = [(turn.speaker, turn.utterance.text) for turn in dialogue.turns]
    assert texts == [("user", "play it"), ("system", "Yes.")]
    assert [turn.utterance.intents for turn in dialogue.turns] == [("a",), ()]
    assert [str(fault) for _, fault in warnings] == [
        f"{path}:2: a turn without words. Remove it; it is left out."
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"driver"', '"pilot"', "pilot"),
        ('"intent": "a"', '"goal": "a"', "intent"),
        ('"dialogue"', '"talk"', "dialogue"),
    ],
)
def test_faults_of_kvrets_json(tmp_path, old, new, problem):
    path = tmp_path / "a.json"
    path.write_text(KVRET.replace(old, new))
    with pytest.raises(InputError, match=problem) as caught:
        list(iter_kvret_json(path))
    assert (caught.value.file, caught.value.line) == (str(path), 2)


def test_what_holds_no_dialogues_is_refused(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "intent": "b"}\n')
    with pytest.raises(InputError, match="no dialogues"):
        read_dialogues(path)


def test_two_forms_of_the_same_data_are_the_same(shared_data):
    folder = shared_data("kvret")
    lines, iob = read(folder / "dev.jsonl.gz"), read(folder / "dev.iob.gz")
    assert len(lines) == len(iob) == 777
    for one, other in zip(lines, iob, strict=True):
        assert [token.text for token in one.tokens] == [t.text for t in other.tokens]
        assert len(one.slots) == len(other.slots)
        assert (one.intents, one.turn) == (other.intents, other.turn)
        assert len(one.prompts) == len(other.prompts)
    assert len(read(folder / "raw_dev.json.gz")) >= 777
