"""Reads blocks of rows: a word and its tag a row, an empty line between blocks."""

import re
from reprlib import repr as short

from keras_slu.data.report import attempt
from keras_slu.data.report import iter_lines
from keras_slu.data.report import placed
from keras_slu.data.report import raise_errors
from keras_slu.data.spans import locate_words
from keras_slu.data.tagged import read_tags
from keras_slu.data.tags import split_tag
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_tag
from keras_slu.data.words import check_word
from keras_slu.data.words import join_words
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError

_NOTE = re.compile("# ([a-z][a-z_]*) ?[:=] ?(.*)")
_GAP = re.compile("[ \t]+")
_TO_BIO = {"M-": "I-", "E-": "I-", "L-": "I-", "S-": "B-", "U-": "B-"}


def iter_conll(path, report=raise_errors):
    """Reads CoNLL columns and their relatives: BMES, BIOES and BILOU rows.

    A row holds columns, separated by spaces or tabs: the word first and its
    tag last. Where there are more than two and the first counts 1, 2, 3, it is
    a number and the word the second. The intent is a last row of one column,
    or a comment before the rows: `# intent = name` (or `:`); several are joined
    by `#`. A comment `# text = ...` gives the text as it was before it was
    split into words. All other comments and columns are ignored.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance`; with tokens, unless there is a `# text` of its own.
    """
    first = None

    def warn(fault):
        report("warning", placed(fault, path, first))

    for first, rows in _iter_blocks(path, report):
        read = (read_block, rows, f"{path}:{first}", warn)
        utterance = attempt(report, path, first, *read)
        if utterance is not None:
            yield utterance


def _iter_blocks(path, report):
    """Yields the first line of each block and its `(line, text)`s."""
    rows = []
    for line, text in iter_lines(path, report):
        if text.strip():
            rows.append((line, text))
        elif rows:
            yield rows[0][0], rows
            rows = []
    if rows:
        yield rows[0][0], rows


def read_block(rows, origin, warn):
    """Reads the `(line, text)`s of a block; gives `None` for `-DOCSTART-`."""
    notes, rows = split_notes(rows)
    rows = [(line, _columns(text)) for line, text in rows]
    if len(rows) == 1 and rows[0][1][0] == "-DOCSTART-":
        return None
    if len(rows) > 1 and len(rows[-1][1]) == 1:
        line, (intent,) = rows.pop()
        if "intent" in notes:
            raise InputError("a second intent", "Join intents by #.", line=line)
        notes["intent"] = intent
    intents = split_intents(notes["intent"]) if "intent" in notes else ()
    words, tags = _read_rows(rows)
    if "text" not in notes:
        text, tokens = join_words(words)
        return Utterance(text, tokens, read_tags(tags, tokens, warn), intents, origin)
    text = notes["text"]
    slots = read_tags(tags, locate_words(words, text), warn)
    return Utterance(text, (), slots, intents, origin)


def split_notes(rows):
    """Splits a block into its comments, as a dict, and its rows."""
    notes, place = {}, 0
    for place, (_, text) in enumerate(rows):
        note = _NOTE.fullmatch(text)
        if note:
            notes[note[1]] = note[2]
        elif not text.startswith("# ") or has_tag(text):
            return notes, rows[place:]
    return notes, []


def has_tag(row):
    """Whether a row has two columns or more, the last of them a tag."""
    columns = _columns(row)
    return len(columns) > 1 and bool(split_tag(_to_bio(columns[-1]))[0])


def _columns(row):
    return _GAP.split(row.strip(" \t"))


def _read_rows(rows):
    """Returns the words and their BIO tags."""
    if not rows:
        raise InputError("a block without words", "Give it rows of word and tag.")
    is_numbered = all(
        len(columns) > 2 and columns[0] == str(number)
        for number, (_, columns) in enumerate(rows, 1)
    )
    words, tags = [], []
    for line, columns in rows:
        try:
            if len(columns) == 1:
                raise InputError(
                    f"a row of one column, {short(columns[0])}",
                    "Give each word a tag; the intent stands in the last row.",
                )
            words.append(columns[is_numbered])
            tags.append(_to_bio(columns[-1]))
            check_word(words[-1])
            check_tag(tags[-1])
        except InputError as fault:
            raise placed(fault, None, line) from None
    return words, tags


def _to_bio(tag):
    """The BIO tag of a tag of any scheme: `M-x`, `E-x` and `L-x` go on."""
    return _TO_BIO.get(tag[:2], tag[:2]) + tag[2:]
