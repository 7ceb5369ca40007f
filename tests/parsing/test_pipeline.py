"""Sentences of a transcript and their Frames, with a parser that finds vowels."""

import re

import pytest
from marked import make_model

import keras_slu
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Slot
from keras_slu.parsing.punctuator import Punctuator

TRANSCRIPT = (
    "  so what\nhappened next, nobody knows? i don't - zoë 😀 so what next " * 3
)


class Vowels:
    def parse(self, texts):
        return [
            Frame(
                text,
                (),
                tuple(
                    Slot("vowels", found[0], found.start(), found.end(), 1.0)
                    for found in re.finditer("[aeiou]+", text)
                ),
            )
            for text in texts
        ]


@pytest.fixture(scope="module")
def sentences():
    pipeline = keras_slu.pipeline(Punctuator(make_model()), Vowels())
    assert pipeline.parse(" \n") == []
    return pipeline.parse(TRANSCRIPT)


def test_sentences_are_the_transcript_without_a_gap(sentences):
    assert len(sentences) > 3
    parts = [TRANSCRIPT[one.start : one.end] for one in sentences]
    assert " ".join(parts).split() == TRANSCRIPT.split()
    for part, sentence in zip(parts, sentences, strict=True):
        assert part == part.strip()
        kept = [word.rstrip(",.?") for word in sentence.text.split()]
        assert kept == [word.rstrip(",.?") for word in part.split()]
    # A mark that was there ends a sentence too.
    assert any(part.endswith("knows?") for part in parts)


def test_slots_count_in_the_transcript(sentences):
    slots = [slot for one in sentences for slot in one.frame.slots]
    expected = [found.span() for found in re.finditer("[aeiou]+", TRANSCRIPT)]
    assert [(slot.start, slot.end) for slot in slots] == expected
    for sentence in sentences:
        assert sentence.frame.text == TRANSCRIPT
        for slot in sentence.frame.slots:
            assert TRANSCRIPT[slot.start : slot.end] == slot.value
            assert sentence.start <= slot.start < slot.end <= sentence.end


def test_a_sentence_as_a_dict_holds_no_transcript(sentences):
    content = sentences[0].to_dict()
    assert set(content) == {
        *("text", "start", "end", "intents", "slots", "is_unknown", "truncated")
    }
    assert content["slots"][0]["name"] == "vowels"
