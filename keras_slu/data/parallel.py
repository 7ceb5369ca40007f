"""Parallel text: a file of source lines and one of their translations."""

from itertools import zip_longest

from keras_slu.errors import InputError
from keras_slu.files import read_lines


def read_parallel(source, target):
    """Reads two files, plain or `.gz`, whose lines translate each other.

    Args:
        source, target: paths of UTF-8 files, one sentence a line.

    Returns:
        two lists of str of equal length.

    Raises:
        InputError: files of different lengths, of no lines, or with a line
            that is empty, with the place.
    """
    sources, targets = [], []
    pairs = zip_longest(read_lines(source), read_lines(target))
    for number, (one, other) in enumerate(pairs, 1):
        for line, file, whole in ((one, source, target), (other, target, source)):
            if line is None:
                raise InputError(
                    f"ends after {number - 1} lines, and {whole} does not",
                    "Give each line its translation.",
                    file=file,
                )
            if not line[1].strip():
                raise InputError(
                    "the line is empty",
                    "Take the pair out of both files.",
                    file=file,
                    line=number,
                )
        sources.append(one[1])
        targets.append(other[1])
    if not sources:
        raise InputError("holds no lines", "Name another file.", file=source)
    return sources, targets
