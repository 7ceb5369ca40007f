"""The reader of TOP trees."""

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.top import iter_top

TREE = "[IN:PLAY I 'd play [SL:SONG hey jude ] now ]"
LABELS = (("PLAY",), [("SONG", "hey  Jude")])
TEXT = "I'd play hey  Jude now"


@pytest.fixture
def read(tmp_path):
    return lambda content: read_bytes(iter_top, tmp_path / "a.tsv", content)


@pytest.mark.parametrize(
    "line",
    [
        f"{TEXT}\tI 'd play hey jude now\t{TREE}",  # TOP
        f"domain\tutterance\tsemantic_parse\nmusic\t{TEXT}\t{TREE}",  # TOPv2
        f"3\tIN:PLAY\t10:19:SL:SONG\t{TEXT}\tmusic\ten\t{TREE}\t{{}}",  # MTOP
    ],
)
def test_the_text_is_the_column_made_of_the_words(read, line):
    (utterance,), told = read(f"{line}\n")
    assert told == []
    assert utterance.text == TEXT
    assert labels_of(utterance) == LABELS


@pytest.mark.parametrize(
    ("tree", "problem"),
    [
        ("[IN:A [SL:B play [IN:C it ] ] ]", "a nested tree, at '[IN:C'"),
        ("[IN:A [SL:B [SL:C play it ] ] ]", "a nested tree, at '[SL:C'"),
        ("[IN:A play [IN:B it ] ]", "a nested tree, at '[IN:B'"),
        ("[IN:A play it", "does not end"),
        ("[IN:A [SL:B play it ]", "'B' is not closed"),
        ("[IN:A play it ] ]", "closes no word"),
        ("[IN:A [SL:B ] play it ]", "closes no word"),
        ("[IN:A [SL: play ] it ]", "the name '' is empty"),
        ("[IN:A play  it ]", "an empty line, or a space"),
        ("[IN:A ]", "a tree without words"),
        ("[IN: play it ]", "the name '' is empty"),
        ("[IN:A play that ]", "no column is made of the words"),
        ("play it", "0 columns begin with [IN:"),
        ("[IN:A play it ]\t[IN:A play it ]", "2 columns begin with [IN:"),
    ],
)
def test_a_faulty_tree_is_told_and_left_out(read, tree, problem):
    good = f"{TEXT}\t{TREE}\n"
    utterances, told = read(f"{good}play it\t{tree}\n{good}")
    assert len(utterances) == 2
    ((severity, line, text),) = told
    assert (severity, line) == ("error", 2)
    assert problem in text
