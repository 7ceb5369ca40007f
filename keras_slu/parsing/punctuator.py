"""Puts punctuation into transcripts, whole ones and those that are still spoken."""

from collections import deque

import numpy as np

from keras_slu.parsing.mark_finder import MarkFinder
from keras_slu.parsing.mark_finder import Windows
from keras_slu.parsing.mark_stream import MarkStream
from keras_slu.parsing.marked_word import MarkedWord
from keras_slu.parsing.marked_word import WordMarker
from keras_slu.parsing.word_reader import WordReader
from keras_slu.parsing.word_reader import whole_words


class Punctuator:
    """Punctuates text with a punctuation model.

    A word is what stands between spaces, and a mark comes after it. All words
    and all spacing stay as they are.

    Args:
        model: `PunctuationModel` with `tokenizer` and `vocabulary`.

    Example:

    >>> punctuator = keras_slu.load("runs/talks")  # doctest: +SKIP
    >>> punctuator.punctuate("so what happened nobody knows", casing=True)
    ... # doctest: +SKIP
    'So, what happened? Nobody knows.'
    """

    def __init__(self, model):
        if model.tokenizer is None or model.vocabulary is None:
            raise ValueError(
                "A punctuator's model needs a tokenizer and a vocabulary. "
                "Received: a model without; set `model.tokenizer` and "
                "`model.vocabulary`"
            )
        self.model = model
        self._finder = MarkFinder(model)

    def punctuate(self, text, existing="keep", casing=False):
        """Puts marks into a text.

        Args:
            text: str.
            existing, casing: see `words`.

        Returns:
            str, the same words with marks after them.
        """
        return "".join(map(str, self.words([text], existing, casing)))

    def words(self, parts, existing="keep", casing=False):
        """Finds the marks of a text of any length, in bounded memory.

        What is found does not depend on how the text is parted.

        Args:
            parts: iterable of str, the text in order, cut anywhere.
            existing: str. What becomes of marks that the text has: `"keep"`
                them, and add none to a word with one, or `"replace"` those at
                the ends of words. Defaults to `"keep"`.
            casing: bool. Whether the first letter of a sentence, and `i`
                alone, get a capital. Defaults to `False`.

        Yields:
            `MarkedWord`, all words in order; together, as str, they are the
            text with its marks. If the text ends with separators, the last
            one's `text` is empty.

        Raises:
            InputError: for another `existing`.
        """
        marker = WordMarker(self.model.marks, existing, casing)
        reader = WordReader(self.model.tokenizer, self.model.vocabulary)
        windows = Windows(self._finder)
        waiting = deque()  # words and how many pieces they have
        found = _Answers()
        for text in whole_words(parts):
            read = reader.read(text)
            waiting.extend(zip(read.words, read.pieces, strict=True))
            found.add(*windows.push(read.ids))
            yield from _decided(waiting, found, marker)
        found.add(*windows.end())
        yield from _decided(waiting, found, marker)
        if reader.gap:
            yield MarkedWord("", reader.place, reader.place, reader.gap)

    def stream(self, latency=8, existing="keep", casing=False):
        """Starts to punctuate what is being said.

        Args:
            latency: int. How many words may follow a word before its mark is
                given; the more, the better. Defaults to `8`.
            existing, casing: see `words`.

        Returns:
            `MarkStream`.

        Raises:
            InputError: for a `latency` below 0, or another `existing`.
        """
        return MarkStream(
            self._finder,
            WordReader(self.model.tokenizer, self.model.vocabulary),
            WordMarker(self.model.marks, existing, casing),
            latency,
        )


class _Answers:
    """Answers for pieces that are decided, given out word by word."""

    def __init__(self):
        self._marks = np.zeros(0, np.int32)
        self._probabilities = None
        self._taken = 0

    def add(self, marks, probabilities):
        if self._probabilities is not None:
            marks = np.concatenate([self._marks[self._taken :], marks])
            rest = self._probabilities[self._taken :]
            probabilities = np.concatenate([rest, probabilities])
        self._marks, self._probabilities, self._taken = marks, probabilities, 0

    def has(self, pieces):
        return self._taken + pieces <= len(self._marks)

    def take(self, pieces):
        """The answer at the last of so many pieces, or `None` for none."""
        if not pieces:
            return None
        self._taken += pieces
        return self._marks[self._taken - 1], self._probabilities[self._taken - 1]


def _decided(waiting, answers, marker):
    while waiting and answers.has(waiting[0][1]):
        word, pieces = waiting.popleft()
        yield marker.mark(word, answers.take(pieces))
