"""Walks a JSON document whose examples lie deep in it, with their lines."""

import json
import re

from keras_slu.data.report import attempt
from keras_slu.data.report import placed
from keras_slu.errors import InputError
from keras_slu.files import read_lines

_SPACE = re.compile("[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class JSONDocument:
    """A cursor over the text of a JSON file, which may be `.gz`.

    Args:
        path: path. The whole text is held in memory, but only one example at
            a time as objects.

    Attributes:
        line: int. Line, from 1, of the value that comes next.

    Raises:
        InputError: by all methods, where the text is not JSON or not of the
            form that is asked for, with line.
    """

    def __init__(self, path):
        self._text = "\n".join([text for _, text in read_lines(path)])
        self._place = 0
        self._counted = 0  # where `line` was counted up to
        self.line = 1
        self._skip_space()
        if not self._next():
            raise InputError("is empty", "Give it examples.")

    def members(self):
        """Yields each key of an object; its value must be taken before the next."""
        yield from self._parts("{", "}", self._key)

    def items(self):
        """Yields `None` for each item of an array; it must be taken then."""
        yield from self._parts("[", "]", lambda: None)

    def value(self):
        """Takes the next value, whatever it is."""
        try:
            value, self._place = _DECODER.raw_decode(self._text, self._place)
        except ValueError as error:  # a number of too many digits has no place
            reason, place = getattr(error, "msg", error), getattr(error, "pos", None)
            raise self._fault(f"invalid JSON ({reason})", place) from None
        except RecursionError:
            raise self._fault("nodes too deep in nodes") from None
        self._skip_space()
        return value

    def end(self):
        """Checks that nothing follows."""
        if self._place < len(self._text):
            raise self._fault("more text behind the end of the JSON")

    def _parts(self, opening, closing, before):
        self._take(opening)
        if self._next() == closing:
            self._take(closing)
            return
        while True:
            yield before()
            if self._next() == closing:
                break
            self._take(",")
        self._take(closing)

    def _key(self):
        key = self.value()
        if not isinstance(key, str):
            raise self._fault(f"a key that is no string: {key!r:.40}")
        self._take(":")
        return key

    def _next(self):
        return self._text[self._place : self._place + 1]

    def _take(self, character):
        if self._next() != character:
            found = self._text[self._place : self._place + 20] or "the end"
            raise self._fault(f"{found!r} where {character!r} is expected")
        self._place += 1
        self._skip_space()

    def _skip_space(self):
        self._place = _SPACE.match(self._text, self._place).end()
        self.line += self._text.count("\n", self._counted, self._place)
        self._counted = self._place

    def _fault(self, problem, place=None):
        place = self._place if place is None else place
        line = self._text.count("\n", 0, place) + 1
        return InputError(problem, "Is the file whole, and of this format?", line=line)


def iter_examples(path, walk, read_example, report):
    """Reads the examples of a JSON document.

    Args:
        path: path.
        walk: generator function of a `JSONDocument` that stops before each
            example and yields what is known of it: `walk(document)`.
        read_example: function of `(example, known, origin, warn)` that gives
            the `Utterance` of an example or raises an `InputError`.
        report: function of `(severity, fault)`.

    Yields:
        `Utterance`.
    """
    line = None

    def warn(fault):
        report("warning", placed(fault, path, line))

    for line, known, example in _iter_found(path, walk, report):
        read = (read_example, example, known, f"{path}:{line}", warn)
        utterance = attempt(report, path, line, *read)
        if utterance is not None:
            yield utterance


def _iter_found(path, walk, report):
    """Yields `(line, known, example)`; reports what ends the walk too early."""
    line = None
    try:
        document = JSONDocument(path)
        for known in walk(document):
            line = document.line
            yield line, known, document.value()
        document.end()
        if line is None:
            raise InputError("holds no example", "Is it of this format?")
    except InputError as fault:
        error = placed(fault, path)
    else:
        return
    report("error", error)
