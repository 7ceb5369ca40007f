"""Reads the common folder of three files: words, tags, intents."""

from itertools import zip_longest
from pathlib import Path

from keras_slu.data.report import placed
from keras_slu.data.report import raise_errors
from keras_slu.data.tagged import read_tags
from keras_slu.data.tagged import split_spaced
from keras_slu.data.tagged import split_words
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError
from keras_slu.files import read_lines

FILES = ("seq.in", "seq.out", "label")


def is_seq_folder(folder):
    """Whether `folder` holds `seq.in` or `seq.in.gz`."""
    return any((folder / name).exists() for name in ("seq.in", "seq.in.gz"))


def iter_seq_folder(folder, report=raise_errors):
    """Reads `seq.in`, `seq.out` and `label`, each plain or `.gz`.

    Line n of each file is utterance n: its words, a BIO tag for each word, and
    its intents. Words and tags are separated by single spaces, several intents
    by `#`. Tags are read as `conlleval` does: a slot may begin with `I-`.

    Args:
        folder: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance` with tokens; the text is the words joined by single spaces.
    """
    paths = [_find(Path(folder), name) for name in FILES]
    line, path = 0, None  # of the row and the file that are being parsed

    def warn(fault):
        report("warning", placed(fault, path, line))

    for line, words, tags, label in _iter_rows(paths, report):
        try:
            path = paths[0]
            text, tokens = join_words(split_words(words, warn))
            path = paths[1]
            slots = read_tags(split_spaced(tags, warn), tokens, warn)
            path = paths[2]
            intents = split_intents(label)
        except InputError as fault:
            report("error", placed(fault, path, line))
        else:
            yield Utterance(text, tokens, slots, intents, f"{paths[0]}:{line}")


def _find(folder, name):
    found = [path for path in (folder / name, folder / f"{name}.gz") if path.exists()]
    if not found:
        raise InputError(
            f"holds neither {name} nor {name}.gz",
            "Give the three files seq.in, seq.out and label.",
            file=folder,
        )
    if len(found) > 1:
        raise InputError(
            f"holds both {name} and {name}.gz", "Remove one of them.", file=folder
        )
    return found[0]


def _iter_rows(paths, report):
    """Yields `(line, words, tags, label)`; reports where the files end apart."""
    files = [read_lines(path) for path in paths]
    line = 0
    try:
        for line, row in enumerate(zip_longest(*files, fillvalue=(0, None)), 1):
            (_, words), (_, tags), (_, label) = row
            if words is None or tags is None or label is None:
                ended = [text is None for _, text in row]
                counts = [
                    line - end + sum(1 for _ in file)
                    for end, file in zip(ended, files, strict=True)
                ]
                raise _unequal(paths, counts)
            yield line, words, tags, label
        if not line:
            raise _unequal(paths, [0, 0, 0])
    except InputError as fault:
        report("error", fault)


def _unequal(paths, counts):
    for path, count in zip(paths, counts, strict=True):
        if not count:
            return InputError("is empty", "Give it one line an utterance.", file=path)
    path, count = next(
        (path, count)
        for path, count in zip(paths, counts, strict=True)
        if count != counts[0]
    )
    return InputError(
        f"has {count} lines, but {paths[0].name} has {counts[0]}",
        "Give each utterance one line in each file.",
        file=path,
        line=min(count, counts[0]) + 1,
    )
