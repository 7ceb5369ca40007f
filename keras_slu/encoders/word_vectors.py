"""Reads pretrained word vectors in the text format of GloVe."""

import re
from array import array

import numpy as np

from keras_slu.errors import InputError
from keras_slu.files import read_lines

_HEADER = re.compile(r"\d+ \d+ ?", re.ASCII)


def read_word_vectors(path, keep=None, fold=None):
    r"""Reads `word v1 v2 ...`, one word a line, separated by single spaces.

    The first line tells the dimension; it may also be a header `count
    dimension`, as word2vec and fastText write. A word may hold spaces: the
    numbers are counted from the right.

    Args:
        path: path of a text file, plain or `.gz`.
        keep: set of str, the folded words to return. The numbers of others
            are counted, not read. Defaults to `None`, all.
        fold: function from str to str, such as `Tokenizer.fold`, applied to
            each word. Of words that fold alike, the first wins. Defaults to
            `None`, words as they are.

    Returns:
        `(words, matrix)`: list of n str in the order of the file, float32
        array `(n, dimension)`.

    Raises:
        InputError: for an empty file, a line of another width, or what is no
            finite number, with file and line.

    Example:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "vectors.txt")
    >>> _ = path.write_text("play 0.5 1\nstop 0 2\n")
    >>> words, matrix = read_word_vectors(path, keep={"stop"})
    >>> words, matrix.tolist()
    (['stop'], [[0.0, 2.0]])

    Reference: Pennington, Socher and Manning, "GloVe: Global Vectors for Word
    Representation", EMNLP 2014.
    """
    words = {}  # word to its line
    values = array("f")  # as compact as the matrix it becomes
    dimension = None
    for line, text in read_lines(path):
        if dimension is None:
            dimension = _dimension(text, path)
            if _HEADER.fullmatch(text):
                continue
        text = text.rstrip(" ")  # fastText ends its lines with a space
        word, numbers = _split(text, dimension, path, line)
        if fold is not None:
            word = fold(word)
        if word in words or (keep is not None and word not in keep):
            continue
        try:
            values.extend(map(float, numbers.split(" ")))
        except ValueError as error:
            raise _fault(str(error), path, line) from None
        words[word] = line
    if dimension is None:
        raise _fault("is empty", path, None)
    matrix = np.frombuffer(values, np.float32).reshape(-1, dimension)
    unfit = np.flatnonzero(~np.isfinite(matrix).all(axis=1))
    if len(unfit):
        line = list(words.values())[unfit[0]]
        raise _fault("a number that is not finite", path, line)
    return list(words), matrix


def _dimension(first_line, path):
    if _HEADER.fullmatch(first_line):
        dimension = int(first_line.split(" ")[1])
    else:
        dimension = first_line.rstrip(" ").count(" ")
    if not dimension:
        raise _fault("a word without numbers", path, 1)
    return dimension


def _split(text, dimension, path, line):
    """Splits a line into its word and its numbers, still one str."""
    width = text.count(" ")
    if width == dimension:
        word, _, numbers = text.partition(" ")
    else:
        parts = text.rsplit(" ", dimension)
        word, numbers = parts[0], " ".join(parts[1:])
        # A word with spaces that ends in a number is a number too many.
        if width < dimension or _is_number(word.rpartition(" ")[2]):
            raise _fault(f"{width} numbers, not {dimension}", path, line)
    if not word:
        raise _fault("no word before the numbers", path, line)
    return word, numbers


def _is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def _fault(problem, path, line):
    return InputError(
        problem,
        "Give each line a word and then equally many numbers, with single spaces.",
        file=path,
        line=line,
    )
