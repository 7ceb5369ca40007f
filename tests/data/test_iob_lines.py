"""The reader of `BOS ... EOS` lines."""

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.iob_lines import iter_iob_lines

GOOD = "BOS play hey jude EOS\tO O B-song I-song Play#Hum\n"


def test_reads_words_tags_and_intents(tmp_path):
    (utterance,), told = read_bytes(iter_iob_lines, tmp_path / "a.iob", GOOD)
    assert told == []
    assert utterance.text == "play hey jude"
    assert [token.text for token in utterance.tokens] == ["play", "hey", "jude"]
    assert labels_of(utterance) == (("Play", "Hum"), [("song", "hey jude")])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("play hey\tO O O", "not of the form"),
        ("BOS play EOS", "not of the form"),
        ("BOS EOS\tO x", "not of the form"),
        ("BOS\tx", "not of the form"),
        ("BOS play EOS\tO O O x", "1 words, but behind the tab 4 tags and intents"),
        ("BOS play EOS\tB-x O x", "1 words, but behind the tab 3 tags and intents"),
        ("BOS play EOS\tO Q x", "'Q' is not BIO"),
        ("", "an empty line"),
    ],
)
def test_a_faulty_line_is_told_and_left_out(tmp_path, line, problem):
    content = f"{GOOD}{line}\n{GOOD}"
    utterances, told = read_bytes(iter_iob_lines, tmp_path / "a.iob", content)
    assert len(utterances) == 2
    ((severity, number, text),) = told
    assert (severity, number) == ("error", 2)
    assert problem in text
