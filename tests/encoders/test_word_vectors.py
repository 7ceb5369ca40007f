"""The reader of word vectors."""

import gzip

import numpy as np
import pytest

from keras_slu.encoders.word_vectors import read_word_vectors
from keras_slu.errors import InputError


def write(tmp_path, text, name="vectors.txt"):
    path = tmp_path / name
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.txt.gz"])
@pytest.mark.parametrize("header", ["", "2 3\n", "2 3 \n"])
@pytest.mark.parametrize("end", ["\n", " \n", "\r\n"])
def test_reads_words_and_numbers(tmp_path, name, header, end):
    text = header + f"the 0.5 -1 2e-1{end}été 1 2 3{end}"
    words, matrix = read_word_vectors(write(tmp_path, text, name))
    assert words == ["the", "été"]
    assert matrix.dtype == np.float32
    np.testing.assert_array_equal(matrix, np.float32([[0.5, -1, 0.2], [1, 2, 3]]))
    matrix[0] = 0  # it can be written to


def test_a_word_may_hold_spaces(tmp_path):
    path = write(tmp_path, "a 1 2\nat name@domain.com 3 4\n. . . 5 6\n")
    words, matrix = read_word_vectors(path)
    assert words == ["a", "at name@domain.com", ". . ."]
    assert matrix.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_the_first_of_words_that_fold_alike_wins(tmp_path):
    path = write(tmp_path, "Play 1 2\nplay 3 4\nPLAY 5 6\nstop 7 8\n")
    words, matrix = read_word_vectors(path, fold=str.lower)
    assert (words, matrix.tolist()) == (["play", "stop"], [[1, 2], [7, 8]])
    assert read_word_vectors(path)[0] == ["Play", "play", "PLAY", "stop"]


def test_keep_is_asked_for_folded_words_and_may_find_none(tmp_path):
    path = write(tmp_path, "Play 1 2\nStop 3 4\n")
    words, matrix = read_word_vectors(path, keep={"stop", "x"}, fold=str.lower)
    assert (words, matrix.tolist()) == (["stop"], [[3, 4]])
    words, matrix = read_word_vectors(path, keep=set())
    assert (words, matrix.shape, matrix.dtype) == ([], (0, 2), np.float32)


@pytest.mark.parametrize("keep", [None, {"a"}])
@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("", None, "is empty"),
        ("a\n", 1, "without numbers"),
        ("\n", 1, "without numbers"),
        ("3 0\n", 1, "without numbers"),
        ("a 1 2\nb 1\n", 2, "1 numbers, not 2"),
        ("a 1 2\nb 1 2 3\n", 2, "3 numbers, not 2"),
        ("a 1 2\n\n", 2, "0 numbers, not 2"),
        ("2 3\na 1 2\n", 2, "2 numbers, not 3"),
        ("a 1 2\n 1 2\n", 2, "no word"),
        ("a 1 2\nb 1 2\0\n", 2, "NUL"),
        (b"a 1 2\n\xff 1 2\n", 2, "UTF-8"),
    ],
)
def test_faults_of_any_line_are_told(tmp_path, text, line, problem, keep):
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=problem) as caught:
        read_word_vectors(path, keep=keep)
    assert (caught.value.file, caught.value.line) == (str(path), line)


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        ("x", "'x'"),
        ("", "could not convert"),
        ("1,5", "'1,5'"),
        ("nan", "not finite"),
        ("inf", "not finite"),
        ("1e39", "not finite"),
    ],
)
def test_what_is_no_finite_number_is_told(tmp_path, number, problem):
    path = write(tmp_path, f"2 2\na 1 2\na 0 0\nb {number} 4\nc 5 6\n")
    with pytest.raises(InputError, match=problem) as caught:
        read_word_vectors(path)
    assert caught.value.line == 4
    assert read_word_vectors(path, keep={"a", "c"})[0] == ["a", "c"]


def test_a_damaged_gz_a_folder_and_nothing_are_told(tmp_path):
    path = write(tmp_path, "a 1 2\n" * 50, "vectors.txt.gz")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match="damaged gzip"):
        read_word_vectors(path)
    with pytest.raises(InputError, match="is a folder"):
        read_word_vectors(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_word_vectors(tmp_path / "none.txt")


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("glove/glove.6B.300d.atis.txt.gz", (837, 300)),
        ("glove/glove.6B.100d.subset.txt.gz", (50059, 100)),
    ],
)
def test_reads_glove(shared_data, name, shape):
    words, matrix = read_word_vectors(shared_data(name))
    assert matrix.shape == shape
    assert len(set(words)) == len(words)
    with gzip.open(shared_data(name), "rt", encoding="utf-8") as stream:
        *_, last = stream
    word, *numbers = last.split()
    assert words[-1] == word
    np.testing.assert_array_equal(matrix[-1], np.array(numbers, np.float32))
