"""What punctuation gives: the words of a transcript, and the mark after each."""

import re
from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import replace

import numpy as np

from keras_slu.data.marked_words import MARKS
from keras_slu.data.marked_words import SENTENCE_ENDS
from keras_slu.errors import InputError

EXISTING = ("keep", "replace")
CLOSING = "\"')]}»”’"
SIGNS = ".,?!:;…。，、？！：；"
_END_SIGNS = set(".?!…。？！")
_TRAILING_SIGNS = re.compile(f"[{re.escape(SIGNS)}]+$")
_I = re.compile(r"i(?![^\W_])")


@dataclass(frozen=True, slots=True)
class MarkedWord:
    """A word of a transcript, and what follows it.

    Args:
        text: str. The word as it stands, `transcript[start:end]`, a changed
            case aside. `""` for what stands behind the last word.
        start, end: int. Its place in code points.
        before: str. The separators before it, as they stand.
        mark: str. The sign to put after it, such as `","`; `""` for none.
        probability: float. Of this answer; of a word that brings its own mark
            or has no letters, 1.
        ends_sentence: bool. Whether a sentence ends with it.
    """

    text: str
    start: int
    end: int
    before: str = ""
    mark: str = ""
    probability: float = 1.0
    ends_sentence: bool = False

    def __str__(self):
        return f"{self.before}{self.text}{self.mark}"

    def to_dict(self):
        """The word as a plain dict, ready for `json.dumps`."""
        return asdict(self)


class WordMarker:
    """Makes `MarkedWord`s of words and a model's answers, one after the other.

    Args:
        marks: list of str. The model's classes.
        existing: str. What becomes of marks that a word brings: `"keep"`, and
            the model adds none to it, or `"replace"`,
            where nothing such as a quotation mark stands behind them.
        casing: bool. Whether the first letter of a sentence, and `i` alone,
            get a capital.

    Raises:
        InputError: for another `existing`.
    """

    def __init__(self, marks, existing="keep", casing=False):
        if existing not in EXISTING:
            raise InputError(
                f"existing marks cannot be {existing!r}",
                f"Choose from {', '.join(EXISTING)}.",
            )
        self._signs = ["", *(MARKS[mark] for mark in marks[1:])]
        self._ends = [mark in SENTENCE_ENDS for mark in marks]
        self._replaces = existing == "replace"
        self._casing = casing
        self._is_first = True

    def mark(self, word, answer=None, is_end=False):
        """Gives a word its mark.

        Args:
            word: `MarkedWord` without one.
            answer: `(mark, probabilities)` of the model, int and float array
                `(marks,)`; `None` for a word without letters and digits.
            is_end: bool. Whether a sentence ends here, whatever the model
                says: then the most probable mark that can end one is taken.
        """
        own = _own_sign(word.text)
        gives_way = self._replaces and word.text.endswith(own)
        if answer is not None and (not own or gives_way):
            mark, probabilities = answer
            if is_end and any(self._ends):
                mark = int(np.argmax(np.where(self._ends, probabilities, -1.0)))
            text = word.text
            if own:
                text = _TRAILING_SIGNS.sub("", text)
            word = replace(
                word,
                text=text,
                end=word.start + len(text),
                mark=self._signs[mark],
                probability=float(probabilities[mark]),
                ends_sentence=self._ends[mark],
            )
        elif own:
            word = replace(word, ends_sentence=own in _END_SIGNS)
        return self._cased(word) if self._casing else word

    def _cased(self, word):
        text = "I" + word.text[1:] if _I.match(word.text) else word.text
        if self._is_first:
            text = _capital(text)
        has_letters = any(c.isalnum() for c in text)
        self._is_first = word.ends_sentence or (self._is_first and not has_letters)
        return replace(word, text=text)


def _own_sign(text):
    """The mark that a word brings, behind what closes a quotation, or `""`."""
    last = text.rstrip(CLOSING)[-1:]
    return last if last and last in SIGNS else ""


def _capital(text):
    """Makes the first letter or digit a capital, where that is one code point."""
    for place, character in enumerate(text):
        if character.isalnum():
            upper = character.upper()
            if len(upper) == 1:
                return text[:place] + upper + text[place + 1 :]
            return text
    return text
