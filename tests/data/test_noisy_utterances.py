"""Labelled utterances with errors: slots follow their words."""

import numpy as np
import pytest

from keras_slu.data import noisy_utterances as module
from keras_slu.data.noisy_utterances import noisy_utterances
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.text.tokenizer import Tokenizer

TEXT, TOKENS = join_words("play hey jude in the hall".split())
SLOTS = (SlotSpan("song", 5, 13), SlotSpan("room", 17, 25))
UTTERANCE = Utterance(TEXT, TOKENS, SLOTS, ("play",), "file:1")


def heard(sources, is_own, monkeypatch, utterance=UTTERANCE):
    order = np.array(sources, int), np.array(is_own, bool)
    monkeypatch.setattr(module, "noisy_order", lambda *_: order)
    random = np.random.default_rng(0)
    (noisy,) = noisy_utterances([utterance], 0.5, random, Tokenizer())
    values = [noisy.text[slot.start : slot.end] for slot in noisy.slots]
    return noisy, dict(zip([slot.name for slot in noisy.slots], values, strict=True))


@pytest.mark.parametrize(
    "sources, song, room",
    [
        ([0, 1, 2, 3, 4, 5], 2, 2),
        ([0, 2, 3, 4, 5], 1, 2),  # its first word is lost
        ([0, 3, 4, 5], 0, 2),  # all of it is
        ([0, 1, 1, 2, 3, 4, 5], 3, 2),  # a word is made up inside
        ([0, 1, 2, 2, 3, 4, 5], 2, 2),  # and behind it
        ([1, 2, 4, 5, 5], 2, 2),  # two slots beside each other
    ],
)
def test_a_slot_keeps_what_is_left_of_it(monkeypatch, sources, song, room):
    is_own = [
        place != last for place, last in zip(sources, [-1, *sources], strict=False)
    ]
    noisy, values = heard(sources, is_own, monkeypatch)
    lengths = {name: len(value.split()) for name, value in values.items()}
    assert lengths == {n: k for n, k in (("song", song), ("room", room)) if k}
    assert len(noisy.tokens) == len(sources)
    assert (noisy.intents, noisy.origin) == (("play",), "file:1")
    for token in noisy.tokens:
        assert noisy.text[token.start : token.end] == token.text


def test_another_word_stands_in_the_slot(monkeypatch):
    is_own = [True, False, True, True, True, True]
    noisy, values = heard([0, 1, 2, 3, 4, 5], is_own, monkeypatch)
    assert values["song"].split()[1] == "jude"
    assert noisy.text.split()[1] in TEXT.split()


def test_an_utterance_is_never_empty(monkeypatch):
    assert heard([], [], monkeypatch)[0] == UTTERANCE


def test_without_errors_nothing_changes():
    raw = Utterance("Play it, now!", (), (SlotSpan("what", 5, 7),), ("play",))
    utterances = [UTTERANCE, raw]
    random = np.random.default_rng(0)
    same, noisy = noisy_utterances(utterances, 0.0, random, Tokenizer())
    assert same == UTTERANCE
    assert (noisy.text, noisy.tokens) == ("Play it , now !", ())
    assert noisy.slots == raw.slots
