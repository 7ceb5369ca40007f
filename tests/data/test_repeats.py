"""Repeats are found, and told with the place of the first."""

from hypothesis import given
from hypothesis import strategies as st

from keras_slu.data.blocks import Block
from keras_slu.data.repeats import Keys
from keras_slu.data.repeats import Repeats
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.text.tokenizer import Tokenizer


@given(st.lists(st.sampled_from("abcd")))
def test_the_first_of_each_key(keys):
    kept = Keys()
    kept.extend(keys[:3])
    kept.extend(keys[3:])
    assert kept.firsts().tolist() == [keys.index(key) for key in keys]


def findings(*splits):
    repeats = Repeats()
    for split in splits:
        repeats.add(Block(split, Tokenizer()))
        repeats.end_split()
    return [
        (finding.kind, finding.file, finding.line, finding.problem)
        for finding in repeats.findings()
    ]


def song(text, place, name="song", intent="play"):
    return Utterance(text, (), (SlotSpan(name, 5, 9),), (intent,), place)


def test_repeats_within_and_across_splits():
    train = [song("play jude", "a:1"), song("play Jude", "a:2")]
    test = [
        song("stop that", "b:1"),
        song("play jude", "b:2"),
        song("stop that", "b:3"),
    ]
    assert findings(train, test) == [
        ("duplicate", "a", 2, "repeats a:1"),
        ("across_splits", "b", 2, "repeats a:1"),
        ("duplicate", "b", 3, "repeats b:1"),
    ]


def test_white_space_does_not_tell_texts_apart():
    texts = ["play jude", " play\u00a0 jude "]
    utterances = [Utterance(text, origin=f"a:{i}") for i, text in enumerate(texts, 1)]
    assert findings(utterances) == [("duplicate", "a", 2, "repeats a:1")]


def test_other_labels_are_told():
    same = song("play jude", "a:1")
    other_slot = song("play jude", "a:2", name="person")
    other_intent = song("play jude", "a:3", intent="stop")
    kinds = [(kind, line) for kind, _, line, _ in findings([same, other_slot])]
    assert kinds == [("two_labelings", 2), ("duplicate", 2)]
    kinds = [(kind, line) for kind, _, line, _ in findings([same], [other_intent])]
    assert kinds == [("two_labelings", 3), ("across_splits", 3)]


def test_the_order_of_intents_is_no_other_labeling():
    one = Utterance("play and stop", (), (), ("play", "stop"), "a:1")
    other = Utterance("play and stop", (), (), ("stop", "play"), "a:2")
    assert [kind for kind, *_ in findings([one, other])] == ["duplicate"]


def test_later_turns_of_dialogues_repeat_nothing():
    first = [Utterance("yes", turn=turn, origin=f"a:{turn + 1}") for turn in (0, 1)]
    second = [Utterance("yes", turn=turn, origin=f"b:{turn + 1}") for turn in (0, 1)]
    (found,) = findings(first, second)
    assert found[:3] == ("across_splits", "b", 1)


def test_places_without_a_line():
    assert findings([Utterance("a", origin="here"), Utterance("a")]) == [
        ("duplicate", None, None, "repeats here")
    ]


def test_no_utterances():
    assert list(Repeats().findings()) == []
