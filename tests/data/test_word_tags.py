"""The reader of `word:tag ... <=> intent` lines."""

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.word_tags import iter_word_tags

GOOD = "at:O 6:B-time ::I-time 30:I-time <=> alarm\n"


def test_the_tag_is_behind_the_last_colon(tmp_path):
    (utterance,), told = read_bytes(iter_word_tags, tmp_path / "a", GOOD)
    assert told == []
    assert [token.text for token in utterance.tokens] == ["at", "6", ":", "30"]
    assert labels_of(utterance) == (("alarm",), [("time", "6 : 30")])


def test_a_double_space_is_a_warning(tmp_path):
    content = GOOD.replace(" 6", "  6")
    (utterance,), told = read_bytes(iter_word_tags, tmp_path / "a", content)
    assert utterance.text == "at 6 : 30"
    assert told == [("warning", 1, "a space stands at an end or beside another")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("at:O 6:O", "not of the form"),
        ("at 6:O <=> alarm", "an empty line"),
        ("at:O 6:Q <=> alarm", "'Q' is not BIO"),
        (" <=> alarm", "an empty line"),
        ("at:O <=> ", "the name '' is empty"),
    ],
)
def test_a_faulty_line_is_told_and_left_out(tmp_path, line, problem):
    content = f"{GOOD}{line}\n{GOOD}"
    utterances, told = read_bytes(iter_word_tags, tmp_path / "a", content)
    assert len(utterances) == 2
    ((severity, number, text),) = told
    assert (severity, number) == ("error", 2)
    assert problem in text
