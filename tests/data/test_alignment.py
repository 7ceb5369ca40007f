"""Slot spans to BIO tags and back."""

import pytest

from keras_slu.data import read
from keras_slu.data.alignment import bio_tags
from keras_slu.data.alignment import slot_spans
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.errors import InputError
from keras_slu.text.tokenizer import Tokenizer

TEXT = "play hey jude, now"


def tags_of(slots, mode="unicode", origin="songs.jsonl:7"):
    utterance = Utterance(TEXT, slots=slots, origin=origin)
    return bio_tags(utterance, Tokenizer(mode).tokenize(TEXT))


def test_writes_tags_over_any_tokens():
    slots = (SlotSpan("song", 5, 13), SlotSpan("when", 15, 18))
    assert tags_of(slots) == ["O", "B-song", "I-song", "O", "B-when"]
    assert tags_of(()) == ["O"] * 5


def test_neighbouring_slots_of_one_name_stay_two():
    slots = (SlotSpan("word", 5, 8), SlotSpan("word", 9, 13))
    assert tags_of(slots) == ["O", "B-word", "B-word", "O", "O"]


def test_a_span_inside_a_token_is_told_with_both_bounds_and_origin():
    with pytest.raises(InputError) as caught:
        tags_of((SlotSpan("song", 5, 13),), mode="whitespace")
    assert str(caught.value).startswith(
        "songs.jsonl:7: slot 'song' spans 5:13 'hey jude', but the tokens there "
        "span 5:14 'hey jude,'."
    )
    assert (caught.value.file, caught.value.line) == ("songs.jsonl", 7)


@pytest.mark.parametrize(
    ("start", "end", "there"),
    [(4, 8, "5:8 'hey'"), (6, 8, "5:8 'hey'"), (13, 15, "13:14"), (9, 12, "9:13")],
)
def test_either_bound_may_be_off(start, end, there):
    with pytest.raises(InputError, match=f"the tokens there span {there}"):
        tags_of((SlotSpan("x", start, end),))


def test_a_span_of_nothing_but_a_space_is_told():
    with pytest.raises(InputError, match="4:5 ' ', but no token is there"):
        tags_of((SlotSpan("x", 4, 5),))


@pytest.mark.parametrize(
    ("origin", "file", "line"),
    [("", "", None), ("made up", "made up", None), ("a:b:3", "a:b", 3)],
)
def test_any_origin_is_told(origin, file, line):
    with pytest.raises(InputError) as caught:
        tags_of((SlotSpan("x", 4, 5),), origin=origin)
    assert (caught.value.file, caught.value.line) == (file or None, line)


@pytest.mark.parametrize("name", ["snips/dev", "atis/test", "cais/test"])
def test_real_tags_come_back(shared_data, name):
    folder = shared_data(name)
    lines = (folder / "seq.out").read_text(encoding="utf-8").splitlines()
    for utterance, line in zip(read(folder), lines, strict=True):
        assert bio_tags(utterance, utterance.tokens) == line.split(" ")
        assert slot_spans(utterance.tokens, line.split(" ")) == utterance.slots
