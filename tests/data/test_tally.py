"""What the counts of all splits show."""

import pytest

from keras_slu.data.blocks import Block
from keras_slu.data.tally import RARE
from keras_slu.data.tally import Tally
from keras_slu.data.tally import check_tallies
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.text.tokenizer import Tokenizer


def say(text, intents="play", **slots):
    """An utterance whose slots are given as `name="value"`."""
    spans = [
        SlotSpan(name, text.index(value), text.index(value) + len(value))
        for name, value in slots.items()
    ]
    return Utterance(text, (), tuple(spans), tuple(intents.split("#")))


def tally(name, utterances):
    counts = Tally(name)
    utterances = [
        Utterance(u.text, u.tokens, u.slots, u.intents, f"{name}:{line}")
        for line, u in enumerate(utterances, 1)
    ]
    counts.add(Block(utterances, Tokenizer()))
    return counts


def findings(kind, **splits):
    tallies = [tally(name, utterances) for name, utterances in splits.items()]
    return [
        (f.file, f.line, f.problem) for f in check_tallies(tallies) if f.kind == kind
    ]


def test_tags_are_counted_by_tokens():
    counts = tally("train", [say("to new york", city="new york"), say("yo", city="yo")])
    tags = {tag: count for tag, (count, _) in counts.tags().items()}
    assert tags == {"B-city": 2, "I-city": 1}
    assert counts.tags()["I-city"][1] == "train:1"
    assert counts.utterances == 2


def test_intents_that_training_lacks():
    found = findings(
        "unseen_intent",
        train=[say("a", "play#stop"), say("b", "play")],
        dev=[say("c", "play"), say("d", "dim"), say("e", "dim")],
        test=[say("f", "stop#play"), say("g", "play#dim")],
    )
    assert found == [
        ("dev", 2, "training lacks the intent 'dim' (2 times in dev)"),
        (
            "test",
            1,
            "training has the intents 'stop#play' in another order only (once in test)",
        ),
        ("test", 2, "training lacks the intents 'play#dim' (once in test)"),
    ]


def test_utterances_without_intent_that_training_has_not():
    nothing = Utterance("hm")
    found = findings("unseen_intent", train=[say("a")], dev=[nothing])
    assert found == [
        ("dev", 1, "training lacks utterances without an intent (once in dev)")
    ]


def test_tags_that_training_lacks():
    found = findings(
        "unseen_tag",
        train=[say("to york", city="york")],
        dev=[say("to new york", city="new york")],
        test=[say("by bus", thing="bus"), say("to york", city="york")],
    )
    assert found == [
        ("dev", 1, "training lacks the tag 'I-city' (once in dev)"),
        ("test", 1, "training lacks the tag 'B-thing' (once in test)"),
    ]


@pytest.mark.parametrize("count", [RARE - 1, RARE])
def test_rare_labels(count):
    train = [say("to york", "fly", city="york")] * count
    dev = [say("to york", "fly", city="york")]
    intents = findings("rare_intent", train=train, dev=dev)
    slots = findings("rare_slot", train=train, dev=dev)
    assert len(intents) == len(slots) == (count < RARE)
    if intents:
        assert "'fly', only 4 times in training" in intents[0][2]
        assert "'city', only 4 times in training" in slots[0][2]


def test_a_set_of_intents_in_two_orders_is_one():
    train = [say("a", "play#stop")] * (RARE - 1) + [say("b", "stop#play")]
    assert findings("rare_intent", train=train) == []


def test_names_that_differ_only_in_case():
    found = findings(
        "label_case",
        train=[say("to york", "Fly#stop", city="york")],
        dev=[say("to york", "fly", City="york")],
    )
    assert found == [
        ("dev", 1, "the intents 'Fly', 'fly' differ only in case"),
        ("dev", 1, "the slots 'city', 'City' differ only in case"),
    ]


def test_mixed_case_of_texts():
    found = findings("mixed_case", train=[say("a"), say("b"), say("C")], dev=[say("d")])
    told = "capital letters in 1 of 3 train, 0 of 1 dev utterances"
    assert found == [("train", 3, told)]
    assert findings("mixed_case", train=[say("Ä")], dev=[say("b")]) != []


@pytest.mark.parametrize("texts", [["a", "ς 听 1"], ["A", "Ω"]])
def test_case_that_is_not_mixed(texts):
    assert findings("mixed_case", train=list(map(say, texts))) == []


def test_utterances_without_intent_are_not_rare():
    assert findings("rare_intent", train=[Utterance("hm")]) == []
