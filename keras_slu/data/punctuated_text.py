"""Makes marked words of ordinary punctuated text."""

import re
import unicodedata
from pathlib import Path

from keras_slu.data.marked_words import MARKS
from keras_slu.data.marked_words import NO_MARK
from keras_slu.data.marked_words import MarkedWords
from keras_slu.data.marked_words import nearest_mark
from keras_slu.data.marked_words import read_marked_words
from keras_slu.errors import InputError
from keras_slu.text.table import SEPARATOR

TALKS = Path(__file__).parent / "talk_corpus"
_NAMES = {sign: name for name, sign in MARKS.items()}
_NAMES |= {"…": "PERIOD", "。": "PERIOD", "，": "COMMA", "、": "COMMA"}
_NAMES |= {"？": "QUESTION", "！": "EXCLAMATION", "：": "COLON", "；": "SEMICOLON"}
_SIGN = re.compile(f"[{re.escape(''.join(_NAMES))}]")


def read_punctuation(path, marks):
    """Reads marked words from a file, or from the embedded corpus of talks.

    Args:
        path: path of a file, see `read_marked_words`; or `embedded:talks/train`,
            `/dev` or `/test`.
        marks: collection of str, the marks to tell apart.

    Returns:
        `MarkedWords`, not empty.

    Raises:
        InputError: for faulty data, or an embedded corpus that is not there.

    Example:

    >>> talks = read_punctuation("embedded:talks/dev", ["COMMA", "PERIOD"])
    >>> talks.words[:3], talks.marks[:3]
    (['hello', 'and', 'welcome'], ['COMMA', 'O', 'O'])
    """
    if not str(path).startswith("embedded:"):
        return read_marked_words(path, marks)
    corpus, _, split = str(path).removeprefix("embedded:").partition("/")
    if corpus != "talks" or split not in ("train", "dev", "test"):
        raise InputError(
            f"no embedded data {str(path)!r}",
            "Give embedded:talks/train, /dev or /test, or a file.",
        )
    text = (TALKS / f"{split}.txt").read_text(encoding="utf-8")
    return mark_words(text, marks)


def mark_words(text, marks):
    """Takes punctuated text apart into words, lower case, and their marks.

    What stands before and after the letters of a word is taken off; the first
    mark among it is the word's. A mark that stands alone is that of the word
    before. The period of an abbreviation counts as the end of a sentence.

    Args:
        text: str.
        marks: collection of str, the marks to tell apart; others count as the
            nearest, see `read_marked_words`.

    Returns:
        `MarkedWords`.

    Example:

    >>> mark_words('So, "what" is 3.5 ? Well...', ["COMMA", "PERIOD", "QUESTION"])
    MarkedWords(words=['so', 'what', 'is', '3.5', 'well'],
                marks=['COMMA', 'O', 'O', 'QUESTION', 'PERIOD'])
    """
    words, found = [], []
    for chunk in SEPARATOR.split(text):
        letters = [place for place, c in enumerate(chunk) if _is_letter(c)]
        if letters:
            words.append(chunk[letters[0] : letters[-1] + 1].lower())
            found.append(NO_MARK)
        sign = _SIGN.search(chunk, letters[-1] + 1 if letters else 0)
        if sign and words and found[-1] == NO_MARK:
            found[-1] = nearest_mark(_NAMES[sign[0]], marks)
    return MarkedWords(words, found)


def _is_letter(character):
    return character.isalnum() or bool(unicodedata.combining(character))
