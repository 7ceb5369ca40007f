"""The vocabulary: ids, pruning, files."""

import numpy as np
import pytest

from keras_slu.errors import InputError
from keras_slu.text.vocabulary import Vocabulary


def test_ids_start_at_two_and_the_unknown_is_one():
    vocabulary = Vocabulary(["play", "stop"])
    ids = vocabulary.ids(["stop", "what", "play"])
    assert ids.dtype == np.int32
    assert ids.tolist() == [3, 1, 2]
    assert vocabulary.ids([]).shape == (0,)
    assert len(vocabulary) == 4
    assert vocabulary.counts is None


def test_build_orders_by_count_then_alphabet():
    vocabulary = Vocabulary.build(["b", "c", "a", "c", "é", "z", "é"])
    assert vocabulary.words == ("c", "é", "a", "b", "z")
    assert vocabulary.counts.dtype == np.int64
    assert vocabulary.counts.tolist() == [0, 0, 2, 2, 1, 1, 1]


def test_build_prunes_to_min_count_and_keeps_the_users_list():
    found = "a a a b b c d".split()
    vocabulary = Vocabulary.build(found, min_count=2, extra=["zoë", "d", "a"])
    assert vocabulary.words == ("a", "b", "d", "zoë")
    # Padding, the one "c" that is now unknown, then the words.
    assert vocabulary.counts.tolist() == [0, 1, 3, 2, 1, 0]
    assert len(vocabulary.counts) == len(vocabulary)


def test_an_unknown_word_is_taken_for_its_longest_ending():
    vocabulary = Vocabulary(["play", "\tville", "\tle", "\t00", "\t:00"])
    words = ["play", "laneville", "ville", "ille", "le", "e", "12:45", "1999", "7", ""]
    assert vocabulary.ids(words).tolist() == [2, 3, 3, 4, 4, 1, 6, 5, 1, 1]
    assert vocabulary.unknown_ids().tolist() == [0, 1, 1, 3, 4, 5, 6]
    assert vocabulary.ending_ids("laneville") == [3, 4]
    assert vocabulary.knows("play")
    assert not vocabulary.knows("laneville")
    assert vocabulary.summary() == "1 words, 4 endings of others."


def test_build_keeps_the_endings_that_ten_words_have():
    words = [f"{start}ville" for start in "abcdefghij"] + ["ice", "12", "nice", "nice"]
    vocabulary = Vocabulary.build(words, min_count=1, longest_ending=4)
    endings = tuple("\t" + ending for ending in ("e", "ille", "le", "lle"))
    assert vocabulary.words[-4:] == endings
    assert len(vocabulary) == 2 + 13 + 4
    assert vocabulary.counts[-4:].tolist() == [0, 0, 0, 0]
    assert Vocabulary.build(words).longest_ending == 0


def test_pruned_words_count_as_their_endings():
    words = [f"{start}ville" for start in "abcdefghij"]
    once = [*words, *words, "mandeville", "thing"]
    vocabulary = Vocabulary.build(once, min_count=2, longest_ending=4)
    assert vocabulary.counts[vocabulary.ids(["mandeville"])].tolist() == [1]
    assert vocabulary.counts[:2].tolist() == [0, 1]


def test_build_does_not_depend_on_the_order_of_the_data():
    words = "one two three two three three four".split()
    assert Vocabulary.build(words).words == Vocabulary.build(words[::-1]).words


def test_nothing_left_is_refused():
    with pytest.raises(InputError, match="none of 2 words occurs 3 times"):
        Vocabulary.build(["a", "b"], min_count=3)
    with pytest.raises(InputError, match="no words"):
        Vocabulary([])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["a", ""], "empty word"),
        (["a", "b", "a"], "'a' stands twice"),
        (["new york"], "separator ' '"),
        (["a\nb"], "separator"),
        (["a\rb"], "separator"),
        (["\ufeffa"], "separator"),
        (["a\0"], "separator"),
        (["a\ud800"], "surrogate"),
        (["a", "\t"], "empty word"),
        (["a", "\tb\tc"], "separator"),
        (["\tb", "\tb"], "'b' stands twice"),
    ],
)
def test_words_that_no_file_could_hold_are_refused(words, problem):
    with pytest.raises(InputError, match=problem):
        Vocabulary(words)


def test_a_saved_vocabulary_loads_the_same(tmp_path):
    path = tmp_path / "run" / "vocabulary.txt"
    vocabulary = Vocabulary(["zoë", "😀", "听", "#", "e\u0301", "0", "\të"])
    vocabulary.save(path)
    assert path.read_bytes() == "zoë\n😀\n听\n#\ne\u0301\n0\n\të\n".encode()
    loaded = Vocabulary.load(path)
    assert loaded.words == vocabulary.words
    assert loaded.ids(["听", "chloë"]).tolist() == [4, 8]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"", None),
        (b"a\n\nb\n", 2),
        (b"a\nb\na\n", 3),
        (b"a\nb c\n", 2),
        (b"a\n\xff\n", 2),
        (b"a\nb\0\n", 2),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(tmp_path, content, line):
    path = tmp_path / "vocabulary.txt"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Vocabulary.load(path)
    assert caught.value.file == str(path)
    assert caught.value.line == line


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Vocabulary.load(tmp_path / "none.txt")
