"""Files of words and marks, and ordinary text as such."""

import gzip

import pytest

from keras_slu.data.marked_words import MarkedWords
from keras_slu.data.marked_words import read_marked_words
from keras_slu.data.marked_words import write_marked_words
from keras_slu.data.punctuated_text import mark_words
from keras_slu.data.punctuated_text import read_punctuation
from keras_slu.errors import InputError

THREE = ("COMMA", "PERIOD", "QUESTION")


def read(tmp_path, text, marks=THREE):
    path = tmp_path / "talk.tsv"
    path.write_text(text)
    return read_marked_words(path, marks)


def test_endings_go_back_to_their_words(tmp_path):
    marked = read(tmp_path, "i\tO\n'm\tO\nhere\tCOMMA\n's\tO\ndo\tO\nn't\tPERIOD\n")
    assert marked.words == ["i'm", "here", "'s", "don't"]
    assert marked.marks == ["O", "COMMA", "O", "PERIOD"]


def test_marks_that_are_not_asked_for_count_as_the_nearest(tmp_path):
    text = "a\tEXCLAMATION\nb\tCOLON\nc\tSEMICOLON\nd\tQUESTION\n"
    assert read(tmp_path, text).marks == ["PERIOD", "COMMA", "PERIOD", "QUESTION"]
    assert read(tmp_path, text, ["COMMA"]).marks == ["O", "COMMA", "O", "O"]
    all_four = ["EXCLAMATION", "COLON", "SEMICOLON", "QUESTION"]
    assert read(tmp_path, text, all_four).marks == all_four


def test_a_separator_inside_makes_two_words(tmp_path):
    marked = read(tmp_path, "a\x81b\tPERIOD\n\nc d\tO\n")
    assert marked == MarkedWords(["a", "b", "c", "d"], ["O", "PERIOD", "O", "O"])


@pytest.mark.parametrize(
    "line, problem",
    [
        ("word", "no word, tab and mark"),
        ("word\tDOT", "no word, tab and mark"),
        ("\tPERIOD", "a mark without a word"),
        ("\x81\tO", "a mark without a word"),
    ],
)
def test_faults_are_told_with_their_line(tmp_path, line, problem):
    with pytest.raises(InputError, match=problem) as error:
        read(tmp_path, f"a\tO\n{line}\n")
    assert error.value.line == 2
    with pytest.raises(InputError, match="holds no words"):
        read(tmp_path, "\n")


def test_what_is_written_is_read_again(tmp_path):
    marked = MarkedWords(["so", "zoë", "听"], ["COMMA", "O", "QUESTION"])
    write_marked_words(tmp_path / "a.tsv", marked)
    assert read_marked_words(tmp_path / "a.tsv", THREE) == marked
    packed = gzip.compress((tmp_path / "a.tsv").read_bytes())
    (tmp_path / "b.tsv.gz").write_bytes(packed)
    assert read_marked_words(tmp_path / "b.tsv.gz", THREE) == marked


@pytest.mark.parametrize(
    "text, words, marks",
    [
        ("Well, what?", ["well", "what"], ["COMMA", "QUESTION"]),
        ('"So," he said - twice !', ["so", "he", "said", "twice"], "COOP"),
        (
            "3.5 of U.S. e-mail: don't...",
            ["3.5", "of", "u.s", "e-mail", "don't"],
            "OOPCP",
        ),
        ("what?! (really)", ["what", "really"], "QO"),
        ("... ! one", ["one"], "O"),
        ("再见。 e\u0301!", ["再见", "e\u0301"], "PP"),
        ("", [], []),
    ],
)
def test_ordinary_text(text, words, marks):
    names = {"O": "O", "C": "COMMA", "P": "PERIOD", "Q": "QUESTION"}
    marks = [names[mark] for mark in marks] if isinstance(marks, str) else marks
    assert mark_words(text, THREE) == MarkedWords(words, marks)


def test_the_embedded_talks():
    sizes = {}
    for split in ("train", "dev", "test"):
        talks = read_punctuation(f"embedded:talks/{split}", THREE)
        sizes[split] = len(talks)
        assert talks.marks[-1] == "PERIOD"
        assert set(talks.marks) == {"O", *THREE}
        assert all(word == word.lower() and word[-1].isalnum() for word in talks.words)
    assert sizes["train"] > 1200 and min(sizes.values()) > 280
    with pytest.raises(InputError, match="embedded:talks/train"):
        read_punctuation("embedded:talks/all", THREE)


def test_the_shared_data_are_read_whole(shared_data):
    marked = read_marked_words(shared_data("iwslt2011") / "test2011.tsv", THREE)
    counts = [marked.marks.count(mark) for mark in THREE]
    assert counts == [830, 807, 46]
    assert len(marked) < 12_626  # by the endings that went back
