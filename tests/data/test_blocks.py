"""Blocks see what the tokenizer sees in each utterance alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_slu.data import blocks as module
from keras_slu.data.blocks import Block
from keras_slu.data.blocks import blocks
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.text.tokenizer import Tokenizer

TOKENIZER = Tokenizer()
# Marks and joiners lean on their neighbours; they must not lean on another text.
TEXT = st.text(st.sampled_from("aB ë\u0301\u200d\n,!听😀\ud800\u00a0"), max_size=9)


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=6))
def test_tokens_are_those_of_each_text_alone(texts):
    block = Block([Utterance(text) for text in texts], TOKENIZER)
    alone = [TOKENIZER.tokenize(text) for text in texts]
    assert block.lengths.tolist() == [len(tokens) for tokens in alone]
    wanted = [TOKENIZER.fold(token.text) for tokens in alone for token in tokens]
    assert block.words() == wanted
    assert block.keys() == [" ".join(TOKENIZER.fold(text).split()) for text in texts]


def test_own_tokens_come_before_those_of_the_tokenizer():
    own = Utterance(*join_words(["don't", "stop"]))
    block = Block([Utterance("don't"), own, Utterance(""), own], TOKENIZER)
    assert block.words() == ["don", "'", "t", "don't", "stop", "don't", "stop"]
    assert block.lengths.tolist() == [3, 2, 0, 2]
    assert block.differing.tolist() == [1, 3]


def test_slots_have_places_in_the_block():
    utterances = [
        Utterance("to Rome", slots=(SlotSpan("city", 3, 7),)),
        Utterance("stop"),
        Utterance("Oslo", slots=(SlotSpan("city", 0, 4),)),
    ]
    block = Block(utterances, TOKENIZER)
    owners, slots, (starts, ends) = block.slots
    assert owners == [0, 2]
    assert slots == [SlotSpan("city", 3, 7), SlotSpan("city", 0, 4)]
    values = [block.text[s:e] for s, e in zip(starts, ends, strict=True)]
    assert values == ["Rome", "Oslo"]
    assert block.owners(np.array([0, 7, 8, 12, 13])).tolist() == [0, 0, 1, 1, 2]


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_nothing_is_lost_between_blocks(monkeypatch, size):
    monkeypatch.setattr(module, "UTTERANCES", size)
    texts = ["a", "b", "c", "d"]
    found = list(blocks(map(Utterance, texts), TOKENIZER))
    assert [word for block in found for word in block.words()] == texts
    assert max(len(block.utterances) for block in found) == size


def test_long_texts_make_short_blocks(monkeypatch):
    monkeypatch.setattr(module, "CHARACTERS", 100)
    found = list(blocks([Utterance("long " * 30)] * 5, TOKENIZER))
    assert [len(block.utterances) for block in found] == [1] * 5
