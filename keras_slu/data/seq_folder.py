"""Reads the common folder of three files: words, tags, intents."""

from pathlib import Path

from keras_slu.data.alignment import slot_spans
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_same_length
from keras_slu.data.words import check_tag
from keras_slu.data.words import check_word
from keras_slu.data.words import join_words
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError
from keras_slu.files import read_lines


def read_seq_folder(folder):
    """Reads `seq.in`, `seq.out` and `label`, each plain or `.gz`.

    Line n of each file is utterance n: its words, a BIO tag for each word, and
    its intents. Words and tags are separated by single spaces, several intents
    by `#`. Tags are read as `conlleval` does: a chunk may begin with `I-`.

    Args:
        folder: path.

    Returns:
        list of `Utterance` with tokens; the text is the words joined by
        single spaces.

    Raises:
        InputError: for anything else, with file and line, before a single
            utterance is returned.
    """
    paths = [_find(Path(folder), name) for name in ("seq.in", "seq.out", "label")]
    columns = [[text for _, text in read_lines(path)] for path in paths]
    _check_lines(paths, columns)
    rows = enumerate(zip(*columns, strict=True), 1)
    return [_read_utterance(paths, line, *row) for line, row in rows]


def _read_utterance(paths, line, words, tags, label):
    path = paths[0]  # of the file that is being parsed, for the error
    try:
        text, tokens = join_words(_split_words(words))
        path = paths[1]
        slots = _read_slots(tokens, tags)
        path = paths[2]
        intents = split_intents(label)
    except InputError as error:
        raise InputError(error.problem, error.remedy, file=path, line=line) from None
    return Utterance(text, tokens, slots, intents, f"{paths[0]}:{line}")


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


def _check_lines(paths, columns):
    for path, column in zip(paths, columns, strict=True):
        if not column:
            raise InputError("is empty", "Give it one line an utterance.", file=path)
        expected = len(columns[0])
        if len(column) != expected:
            raise InputError(
                f"has {len(column)} lines, but {paths[0].name} has {expected}",
                "Give each utterance one line in each file.",
                file=path,
                line=min(len(column), expected) + 1,
            )


def _split_words(line):
    words = line.split(" ")
    for word in words:
        check_word(word)
    return words


def _read_slots(tokens, line):
    tags = line.split(" ")
    for tag in tags:
        check_tag(tag)
    check_same_length(tokens, tags)
    return slot_spans(tokens, tags)
