"""Runs a punctuation model over texts of any length, window by window."""

import numpy as np
import tensorflow as tf

from keras_slu.data.encoding import pad_rows

BATCH_SIZE = 32


class MarkFinder:
    """A punctuation model and its decoding as one compiled function.

    Args:
        model: `PunctuationModel`.
    """

    def __init__(self, model):
        self.num_marks = len(model.marks)
        self.margin = model.margin
        self.core = model.core

        @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32)])
        def answer(token_ids):
            inputs = {"token_ids": token_ids}
            outputs = model(inputs, training=False)
            answers = model.decode(outputs, model.padding_mask(inputs))
            return answers["marks"], answers["probabilities"]

        self._answer = answer

    def run(self, rows):
        """Finds the marks of windows.

        Args:
            rows: list of int32 arrays, none empty, of a window's length at
                most.

        Returns:
            list of pairs `(marks, probabilities)`, int32 `(n,)` and float32
            `(n, marks)`, as long as the rows.
        """
        found = []
        for start in range(0, len(rows), BATCH_SIZE):
            batch = rows[start : start + BATCH_SIZE]
            answers = [tensor.numpy() for tensor in self._answer(pad_rows(batch, 0))]
            found += [
                (marks[: len(row)], probabilities[: len(row)])
                for row, marks, probabilities in zip(batch, *answers, strict=True)
            ]
        return found

    def window(self, place, shift=0):
        """The window that decides the token at `place`.

        Windows decide `core` tokens each and see `margin` more on both sides.
        They stand at fixed places of a text, so that the mark after a token is
        a function of the text alone, however it comes in.

        Args:
            place: int.
            shift: int. How far to the left windows stand from their places.
                Defaults to `0`.

        Returns:
            `(begin, stop)`: the first token of the window, and the one behind
            the last that it decides. It ends `margin` behind that.
        """
        stop = place + self.core - (place + shift) % self.core
        return max(stop - self.core - self.margin, 0), stop

    def find(self, ids, shift=0):
        """Finds the marks of a whole text.

        Args:
            ids: int32 `(tokens,)`.
            shift: see `window`.

        Returns:
            `(marks, probabilities)`: int32 `(tokens,)` and float32
            `(tokens, marks)`.
        """
        windows = Windows(self, shift)
        parts = [windows.push(ids), windows.end()]
        return tuple(np.concatenate(of_both) for of_both in zip(*parts, strict=True))


class Windows:
    """Finds the marks of a text that comes in parts, in bounded memory.

    Args:
        finder: `MarkFinder`.
        shift: see `MarkFinder.window`.
    """

    def __init__(self, finder, shift=0):
        self._finder = finder
        self._shift = shift
        self._ids = np.zeros(0, np.int32)  # from the token `_first` on
        self._first = 0
        self._done = 0  # tokens that are decided

    def push(self, ids):
        """Takes the next tokens, int32 `(n,)`.

        Returns:
            `(marks, probabilities)` of the tokens that are now decided, those
            that follow the ones given before.
        """
        self._ids = np.concatenate([self._ids, ids])
        return self._decide(is_end=False)

    def end(self):
        """Decides all the rest: nothing follows."""
        return self._decide(is_end=True)

    def _decide(self, is_end):
        margin = self._finder.margin
        total = self._first + len(self._ids)
        rows, kept = [], []
        while self._done < total:
            begin, stop = self._finder.window(self._done, self._shift)
            if stop + margin > total and not is_end:
                break
            window = self._ids[begin - self._first :][: stop + margin - begin]
            rows.append(window)
            kept.append(slice(self._done - begin, stop - begin))
            self._done = min(stop, total)
        found = self._finder.run(rows)
        marks = [of_row[part] for (of_row, _), part in zip(found, kept, strict=True)]
        sure = [of_row[part] for (_, of_row), part in zip(found, kept, strict=True)]
        self._forget(total)
        return (
            np.concatenate([np.zeros(0, np.int32), *marks]),
            np.concatenate([np.zeros((0, self._finder.num_marks), "f"), *sure]),
        )

    def _forget(self, total):
        """Drops the tokens that no window to come begins before."""
        begin = min(self._finder.window(self._done, self._shift)[0], total)
        self._ids = self._ids[begin - self._first :]
        self._first = begin
