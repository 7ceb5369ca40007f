"""Words and the punctuation mark after each: what punctuation is learned from."""

from dataclasses import dataclass

from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.files import write_text
from keras_slu.text.table import SEPARATOR

NO_MARK = "O"
MARKS = {
    "COMMA": ",",
    "PERIOD": ".",
    "QUESTION": "?",
    "EXCLAMATION": "!",
    "COLON": ":",
    "SEMICOLON": ";",
}
SENTENCE_ENDS = {"PERIOD", "QUESTION", "EXCLAMATION"}
# What a mark counts as where it is not told apart.
NEAREST = {"EXCLAMATION": "PERIOD", "SEMICOLON": "PERIOD", "COLON": "COMMA"}
_ENDINGS = ("'s", "'re", "'m", "'ll", "'ve", "'d", "n't")


@dataclass(frozen=True)
class MarkedWords:
    """A text as its words, without punctuation.

    Args:
        words: list of str, none empty, none with a separator inside.
        marks: list of str, as many: `"O"` or a key of `MARKS`.
    """

    words: list[str]
    marks: list[str]

    def __len__(self):
        return len(self.words)


def read_marked_words(path, marks):
    r"""Reads `word<TAB>mark`, one word a line; empty lines are passed over.

    An ending such as `'s` or `n't` on a line of its own is put back to its
    word, as it is in ordinary text. A word with a space or a control character
    inside is several, as it is in any text. A mark that is not asked for counts as the
    nearest that is: `EXCLAMATION` and `SEMICOLON` as `PERIOD`, `COLON` as
    `COMMA`, or else as none.

    Args:
        path: path of a text file, plain or `.gz`.
        marks: collection of str, the marks to tell apart, keys of `MARKS`.

    Returns:
        `MarkedWords`, not empty.

    Raises:
        InputError: for a line that is not a word and a known mark, or a file
            without words.

    Example:

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "talk.tsv")
    >>> _ = path.write_text("it\tO\n's\tO\nme\tPERIOD\n")
    >>> read_marked_words(path, ["PERIOD"])
    MarkedWords(words=["it's", 'me'], marks=['O', 'PERIOD'])
    """
    words, found = [], []
    for line, text in read_lines(path):
        if not text:
            continue
        word, mark = _split(text, path, line)
        mark = nearest_mark(mark, marks)
        if words and found[-1] == NO_MARK and word in _ENDINGS:
            words[-1] += word
            found[-1] = mark
            continue
        parts = [part for part in SEPARATOR.split(word) if part]
        words += parts
        found += [NO_MARK] * (len(parts) - 1) + [mark]
    if not words:
        raise InputError("holds no words", "Give it some.", file=path)
    return MarkedWords(words, found)


def nearest_mark(mark, marks):
    """The mark itself, or the nearest of those that are told apart, or `"O"`."""
    if mark not in marks:
        mark = NEAREST.get(mark, NO_MARK)
    return mark if mark in marks else NO_MARK


def write_marked_words(path, marked):
    """Writes what `read_marked_words` reads, atomically."""
    pairs = zip(marked.words, marked.marks, strict=True)
    write_text(path, "".join(f"{word}\t{mark}\n" for word, mark in pairs))


def _split(text, path, line):
    word, tab, mark = text.partition("\t")
    if not tab or mark not in (NO_MARK, *MARKS):
        raise InputError(
            f"{text[:40]!r} is no word, tab and mark",
            f"Give each word a tab and {NO_MARK} or one of {', '.join(MARKS)}.",
            file=path,
            line=line,
        )
    if not SEPARATOR.sub("", word):
        raise InputError("a mark without a word", "Give it one.", file=path, line=line)
    return word, mark
