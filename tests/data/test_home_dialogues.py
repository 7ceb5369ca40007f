"""The embedded dialogues: always the same, and not to be solved without history."""

import hashlib
from collections import defaultdict

import pytest

from keras_slu.data import read
from keras_slu.data import read_dialogues
from keras_slu.data.home import read_home
from keras_slu.data.home_dialogues import read_home_dialogues
from keras_slu.errors import InputError

SPLITS = ("train", "dev", "test")


@pytest.fixture(scope="module")
def corpus():
    return {split: read_home_dialogues(split) for split in SPLITS}


@pytest.fixture(scope="module")
def utterances():
    return {split: read(f"embedded:home-dialogues/{split}") for split in SPLITS}


def test_sizes(corpus, utterances):
    assert [len(corpus[split]) for split in SPLITS] == [624, 17, 24]
    assert [len(utterances[split]) for split in SPLITS] == [2268, 68, 98]
    assert read_dialogues("embedded:home-dialogues/dev") == corpus["dev"]


def test_training_is_the_same_on_every_machine(utterances):
    told = "".join(f"{u.text}{u.slots}{u.intents}{u.turn}" for u in utterances["train"])
    assert hashlib.sha256(told.encode()).hexdigest()[:12] == "56b298f032f8"


def test_labels_are_those_of_the_home_corpus(utterances):
    home = read_home("train")
    intents = {name for utterance in home for name in utterance.intents}
    slots = {slot.name for utterance in home for slot in utterance.slots}
    for split in SPLITS:
        found = {name for u in utterances[split] for name in u.intents}
        assert found <= intents
        assert {s.name for u in utterances[split] for s in u.slots} <= slots
        assert not any(utterance.tokens for utterance in utterances[split])
    trained = {name for u in utterances["train"] for name in u.intents}
    assert trained == intents


def test_follow_ups_mean_different_things_after_different_turns(utterances):
    meanings = defaultdict(set)
    for utterance in utterances["train"]:
        if utterance.turn:
            text = utterance.text
            for slot in reversed(utterance.slots):
                text = f"{text[: slot.start]}{{}}{text[slot.end :]}"
            slots = tuple(slot.name for slot in utterance.slots)
            meanings[text].add((utterance.intents, slots))
    shared = [text for text, found in meanings.items() if len(found) > 1]
    count = sum(u.turn > 0 for u in utterances["train"])
    assert len(shared) > 20, count


def test_no_opening_of_dev_or_test_is_in_training(utterances):
    def openings(split):
        return {u.text.lower() for u in utterances[split] if not u.turn}

    for split in ("dev", "test"):
        assert not openings(split) & openings("train")


def test_another_split_is_refused():
    with pytest.raises(InputError, match="validation"):
        read_home_dialogues("validation")
