"""Rules that every reader holds words, tags and names to.

The functions raise `InputError` without a place; the reader adds it.
"""

import re
from functools import cache
from reprlib import repr as short

from keras_slu.data.tags import split_tag
from keras_slu.data.utterance import Token
from keras_slu.errors import InputError
from keras_slu.text.table import SEPARATOR

_NOT_SEPARATOR = re.compile(SEPARATOR.pattern.replace("[", "[^", 1))


def check_text(text):
    """Checks that there is more to `text` than separators."""
    if not _NOT_SEPARATOR.search(text):
        raise InputError("the text is empty", "Give it words, or remove the utterance.")


def check_word(word):
    """Checks that the tokenizer in whitespace mode keeps `word` whole."""
    if not word:
        raise InputError(
            "an empty line, or a space that stands at an end or beside another",
            "Separate words by exactly one space.",
        )
    separator = SEPARATOR.search(word)
    if separator:
        raise InputError(
            f"the word {short(word)} holds the separator U+{ord(separator[0]):04X}",
            "Remove it, or make two words of it.",
        )


def check_words(words):
    """Checks each of some words, at once where they are printable ASCII."""
    joined = "".join(words)
    quick = joined.isascii() and joined.isprintable() and " " not in joined
    if not quick or "" in words:
        for word in words:
            check_word(word)


def check_name(name):
    """Checks the name of an intent or a slot."""
    if not name or name != name.strip():
        raise InputError(
            f"the name {short(name)} is empty, or has white space around it",
            "Give each intent and slot a name without white space around it.",
        )


@cache  # a data set repeats a few tags very often
def check_tag(tag):
    """Checks that `tag` is `O`, `B-name` or `I-name`."""
    prefix, name = split_tag(tag)
    if not prefix:
        raise InputError(
            f"the tag {short(tag)} is not BIO",
            "Write O, B-name or I-name for each word.",
        )
    if prefix != "O":
        check_name(name)


def check_same_length(tokens, tags):
    """Checks that each token has a tag."""
    if len(tokens) != len(tags):
        raise InputError(
            f"{len(tokens)} words but {len(tags)} tags", "Give each word one tag."
        )


def split_intents(label):
    """Splits `"a#b"` into its intents, in order, each once.

    Example:

    >>> split_intents("play#stop#play")
    ('play', 'stop')
    """
    names = label.split("#")
    for name in names:
        check_name(name)
    return tuple(dict.fromkeys(names))


def join_words(words):
    """Joins words with single spaces.

    Args:
        words: sequence of str.

    Returns:
        `(text, tokens)`: str and tuple of `Token`.

    Example:

    >>> join_words(["hey", "jude"])[1][1]
    Token(text='jude', start=4, end=8)
    """
    tokens = []
    start = 0
    for word in words:
        end = start + len(word)
        tokens.append(Token(word, start, end))
        start = end + 1
    return " ".join(words), tuple(tokens)
