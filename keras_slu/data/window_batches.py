"""Batches of windows over one long text, cut anew in each epoch."""

import numpy as np
import tensorflow as tf

from keras_slu.data.epoch_dataset import epoch_dataset
from keras_slu.data.noise import move_marks
from keras_slu.data.noise import noisy_order
from keras_slu.data.word_dropout import WordDropout
from keras_slu.text.vocabulary import UNKNOWN


class WindowBatches:
    """Shuffled windows of an epoch, a function of `(seed, epoch)` alone.

    Each epoch cuts the text at other places. What windows an epoch lacks of
    whole batches are rows of weight 0 that hold one unknown token, so that
    every batch can be split between replicas.

    Args:
        ids: int32 `(tokens,)`, the text.
        marks: int32 `(tokens,)`, the mark after each token, 0 for none, -1
            where it ends no word.
        window: int. Tokens of a window.
        batch_size: int.
        seed: int.
        word_dropout: float. Rate at which words seen once in training are
            replaced by unknown. Defaults to `0.0`.
        counts: int array `(vocabulary,)`, how often each id occurs in
            training. Needed for word dropout.
        unknown_ids: int array `(vocabulary,)`, what each id becomes then.
            Defaults to `None`, the unknown word's.
        noise: float. The rate of errors like a speech recogniser's, see
            `noisy_order`. Defaults to `0.0`.

    Attributes:
        epoch: int. Which epoch `dataset()` gives next; a callback sets it.
    """

    def __init__(
        self,
        ids,
        marks,
        window,
        batch_size,
        seed,
        word_dropout=0.0,
        counts=None,
        unknown_ids=None,
        noise=0.0,
    ):
        self.ids = ids
        self.marks = marks
        self.window = window
        self.batch_size = batch_size
        self.seed = seed
        self.noise = noise
        self.epoch = 0
        self._drop_words = WordDropout(word_dropout, counts, unknown_ids)

    def __len__(self):
        # One more than fit, since an epoch may begin with a part of one.
        windows = -(-len(self.ids) // self.window) + 1
        return -(-windows // self.batch_size)

    def batches(self, epoch):
        """Yields `(inputs, labels, sample_weight)` of one epoch as arrays."""
        random = np.random.default_rng([self.seed, epoch])
        ids, marks = self._text(random)
        windows = len(self) * self.batch_size
        shift = random.integers(self.window)
        order = random.permutation(windows)

        def cut(values, fill):
            behind = windows * self.window - shift - len(values)
            row = np.pad(values, (shift, behind), constant_values=fill)
            rows = row.reshape(windows, self.window)
            # The first window is pushed to the left, as all padding is.
            rows[0] = np.roll(rows[0], -shift)
            return rows[order].reshape(len(self), self.batch_size, self.window)

        ids, marks = cut(ids, 0), cut(marks, -1)
        weights = (ids[..., 0] != 0).astype(np.float32)
        ids[..., 0] = np.where(weights, ids[..., 0], UNKNOWN)
        for inputs, labels, weight in zip(ids, marks, weights, strict=True):
            yield {"token_ids": inputs}, {"marks": labels}, weight

    def _text(self, random):
        """The epoch's ids and marks."""
        ids, marks = self.ids, self.marks
        if self.noise:
            sources, is_own = noisy_order(len(ids), self.noise, random)
            others = random.integers(len(ids), size=len(sources))
            # What is too many is left out: all epochs have as many batches.
            marks = move_marks(marks, sources)[: len(ids)]
            ids = np.where(is_own, ids[sources], ids[others])[: len(ids)]
        return self._drop_words(ids, random), marks

    def dataset(self):
        """A `tf.data.Dataset`; each pass over it gives epoch `self.epoch`."""
        time = tf.TensorSpec((self.batch_size, self.window), tf.int32)
        signature = (
            {"token_ids": time},
            {"marks": time},
            tf.TensorSpec((self.batch_size,), tf.float32),
        )
        return epoch_dataset(self, signature)
