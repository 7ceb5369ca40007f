"""Reads TOP: tab-separated columns, one of which is a tree of intent and slots."""

from reprlib import repr as short

from keras_slu.data.report import iter_records
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import locate_words
from keras_slu.data.spans import make_span
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_word
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError


def iter_top(path, report=raise_errors):
    """Reads flat trees: `[IN:PLAY play [SL:SONG hey jude ] now ]`.

    Of the other columns, the text is the first that is made of the tree's
    words: so TOP, TOPv2 and MTOP are read alike. A line without a tree, but
    with a column `utterance`, is a header. Labels lose their `IN:` and `SL:`.
    A nested tree is an error, for no sequence of tags can hold it.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`, without tokens.

    Reference: Gupta et al., "Semantic Parsing for Task Oriented Dialog using
    Hierarchical Representations", 2018.
    """
    return iter_records(path, _read_utterance, report)


def has_tree(line):
    """Whether one of the tab-separated columns of a line is a tree."""
    return "\t" in line and any(map(_is_tree, line.split("\t")))


def _is_tree(column):
    return column.startswith("[IN:")


def _read_utterance(line, origin, warn):
    columns = line.split("\t")
    trees = [column for column in columns if _is_tree(column)]
    if not trees and "utterance" in columns:
        return None
    if len(trees) != 1:
        raise InputError(
            f"{len(trees)} columns begin with [IN:", "Give each line one tree."
        )
    intent, words, slots = _read_tree(trees[0])
    for text in columns:
        try:
            tokens = locate_words(words, text)
        except InputError:
            continue
        spans = [
            make_span(name, tokens[first].start, tokens[last].end, text)
            for name, first, last in slots
        ]
        return Utterance(text, (), tuple(spans), split_intents(intent), origin)
    raise InputError(
        "no column is made of the words of the tree", "Give each line its text."
    )


def _read_tree(tree):
    """Returns the intent, the words, and `(name, first word, last word)`s."""
    opening, *parts = tree.rstrip(" ").split(" ")
    if not parts or parts.pop() != "]":
        raise InputError("a tree that does not end with ' ]'", "Close its brackets.")
    words, slots, name, first = [], [], None, 0
    for part in parts:
        if part.startswith(("[IN:", "[SL:")):
            if name is not None or part[1] == "I":
                raise InputError(
                    f"a nested tree, at {short(part)}",
                    "Keep flat trees only: tags cannot hold another.",
                )
            name, first = part.removeprefix("[SL:"), len(words)
        elif part == "]":
            if name is None or first == len(words):
                raise InputError("a bracket that closes no word", "Mend the tree.")
            slots.append((name, first, len(words) - 1))
            name = None
        else:
            check_word(part)
            words.append(part)
    if name is not None:
        raise InputError(f"slot {short(name)} is not closed", "Close its bracket.")
    if not words:
        raise InputError("a tree without words", "Give it words.")
    return opening.removeprefix("[IN:"), words, slots
