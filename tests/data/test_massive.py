"""The reader of MASSIVE lines."""

import json

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.massive import iter_massive


def line_of(utt, annot_utt, **more):
    item = {"utt": utt, "annot_utt": annot_utt, "intent": "play", **more}
    return json.dumps(item) + "\n"


GOOD = line_of("Play it by I", "play [song : it] by [artist : i]")


@pytest.fixture
def read(tmp_path):
    return lambda content: read_bytes(iter_massive, tmp_path / "en.jsonl", content)


def test_the_text_keeps_its_case(read):
    (utterance,), told = read(GOOD)
    assert told == []
    assert (utterance.text, utterance.tokens) == ("Play it by I", ())
    assert labels_of(utterance) == (("play",), [("song", "it"), ("artist", "I")])


def test_texts_that_differ_are_a_warning(read):
    (utterance,), told = read(line_of("play  it", "play [song : it]"))
    assert (utterance.text, told[0][:2]) == ("play it", ("warning", 1))
    assert labels_of(utterance)[1] == [("song", "it")]


def test_partitions_together_are_a_warning(read):
    lines = [line_of("a", "a", partition=name) for name in ("dev", "train", "dev")]
    utterances, told = read("".join(lines))
    assert len(utterances) == 3
    assert told == [("warning", None, "holds dev, train together; all are read")]


@pytest.mark.parametrize(
    ("marked", "problem"),
    [
        ("[a : [b : c]]", "brackets that mark no slot"),
        ("[a : b", "brackets that mark no slot"),
        ("[a b]", "brackets that mark no slot"),
        ("a]", "brackets that mark no slot"),
        ("[a :  ]", "spans no token"),
        (3, '"annot_utt" is 3'),
    ],
)
def test_a_faulty_line_is_told_and_left_out(read, marked, problem):
    utterances, told = read(GOOD + line_of("b", marked) + GOOD)
    assert len(utterances) == 2
    ((severity, line, text),) = told
    assert (severity, line) == ("error", 2)
    assert problem in text
