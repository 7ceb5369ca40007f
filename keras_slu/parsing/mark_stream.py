"""Punctuation of what is being said, word by word."""

import numpy as np

from keras_slu.errors import InputError
from keras_slu.parsing.word_reader import last_separator

BOUNDARIES = (None, "soft", "hard")


class MarkStream:
    """Marks that never change, a bounded number of words behind the speaker.

    The mark after a word is given when `latency` more words are there, and is
    decided from the words up to then; `end` gives the rest. So it depends on
    the words alone, not on how they are pushed; with a `latency` of at least
    the number of words it is what `Punctuator.words` gives.

    The transcript that offsets count in is what was pushed, with a space
    between two pushes that have none there.

    Args:
        finder: `MarkFinder`.
        reader: `WordReader`.
        marker: `WordMarker`.
        latency: int. See `Punctuator.stream`.

    Example:

    >>> stream = punctuator.stream(latency=2)  # doctest: +SKIP
    >>> [str(word) for word in stream.push("so what happened nobody knows")]
    ... # doctest: +SKIP
    ['so,', ' what', ' happened?']
    >>> [str(word) for word in stream.end()]  # doctest: +SKIP
    [' nobody', ' knows.']
    """

    def __init__(self, finder, reader, marker, latency):
        if latency < 0:
            raise InputError(f"the latency is {latency} words", "Give 0 or more.")
        self._finder = finder
        self._reader = reader
        self._marker = marker
        self._latency = latency
        self._part = ""  # of a word that is not finished
        self._begin_segment()

    def _begin_segment(self):
        self._waiting = []  # words, their pieces, the pieces up to their end
        self._ids = np.zeros(0, np.int32)  # from piece `_first` of the segment on
        self._first = 0
        self._total = 0  # pieces of the segment

    def push(self, text, boundary=None, unfinished=False):
        """Takes the next words.

        Args:
            text: str. Any number of words.
            boundary: str or `None`. What comes after them: `"soft"`, a pause,
                which forces nothing, as if it were not given; or `"hard"`, an
                end of what is said: all words get their marks, a sentence ends
                with the last of them, unless that was given before, and what
                follows is read without what was before. Defaults to `None`.
            unfinished: bool. Whether the text ends inside a word, which the
                next push goes on with. A push ends between words otherwise.
                Defaults to `False`.

        Returns:
            list of `MarkedWord`, the words whose marks are now final.

        Raises:
            InputError: for another `boundary`, or one inside a word.
        """
        if boundary not in BOUNDARIES:
            raise InputError(f"no boundary {boundary!r}", "Give soft, hard or none.")
        if unfinished and boundary is not None:
            raise InputError("a boundary inside a word", "Finish the word first.")
        text = self._part + text
        self._part = ""
        if unfinished:
            cut = last_separator(text)
            text, self._part = text[:cut], text[cut:]
        self._read(text)
        if boundary == "hard":
            return self._end_segment(is_end=True)
        return self._decide(keep=self._latency)

    def end(self):
        """Gives all words that are left; the next push begins anew."""
        self._read(self._part)
        self._part = ""
        return self._end_segment(is_end=False)

    def _read(self, text):
        if not text:
            return
        if self._reader.place and not self._reader.gap:
            text = " " + text
        read = self._reader.read(text)
        self._ids = np.concatenate([self._ids, read.ids])
        for word, pieces in zip(read.words, read.pieces, strict=True):
            self._total += pieces
            self._waiting.append((word, pieces, self._total))

    def _end_segment(self, is_end):
        given = self._decide(keep=0, is_end=is_end)
        self._begin_segment()
        return given

    def _decide(self, keep, is_end=False):
        """Marks the words that are waiting, save the last ones to keep."""
        ready = self._waiting[: max(len(self._waiting) - keep, 0)]
        bounds = {
            number: self._bounds(number, place)
            for number, (_, pieces, place) in enumerate(ready)
            if pieces
        }
        asked = list(dict.fromkeys(bounds.values()))  # words share windows
        rows = [self._ids[b - self._first : e - self._first] for b, e in asked]
        answers = dict(zip(asked, self._finder.run(rows), strict=True))
        last = max(bounds, default=None)
        given = []
        for number, (word, _, place) in enumerate(ready):
            answer = None
            if number in bounds:
                begin, _ = bounds[number]
                answer = [part[place - 1 - begin] for part in answers[bounds[number]]]
            given.append(self._marker.mark(word, answer, is_end and number == last))
        del self._waiting[: len(ready)]
        self._forget()
        return given

    def _bounds(self, number, place):
        """What decides a word: its window, up to the last word it may see."""
        seen = min(number + self._latency, len(self._waiting) - 1)
        begin, stop = self._finder.window(place - 1)
        return begin, min(stop + self._finder.margin, self._waiting[seen][2])

    def _forget(self):
        """Drops the pieces that no window to come begins before."""
        next_piece = self._total
        if self._waiting:
            _, pieces, place = self._waiting[0]
            next_piece = place - pieces
        begin = min(self._finder.window(next_piece)[0], self._total)
        self._ids = self._ids[begin - self._first :]
        self._first = begin
