"""Batches of equal size and similar lengths, the same for every replica count."""

import numpy as np
import tensorflow as tf

from keras_slu.text.vocabulary import UNKNOWN

POOL_BATCHES = 50  # sorted by length together; more means less padding, less chance


def bucket_bound(length):
    """Rounds a length up, by an eighth at most, to one of few bounds.

    >>> [bucket_bound(length) for length in (7, 16, 17, 33, 100)]
    [7, 16, 18, 36, 104]
    """
    step = max(1, 2 ** (int(length - 1).bit_length() - 4)) if length > 1 else 1
    return -(-length // step) * step


class TrainingBatches:
    """Shuffled batches of an epoch, a function of `(seed, epoch)` alone.

    Utterances are shuffled, sorted by length within pools and cut into batches
    of `batch_size`; each batch is padded to a bucket bound. The last batch is
    filled with rows of weight 0 that hold one unknown token, so every
    utterance is seen once an epoch and every batch can be split between
    replicas.

    Args:
        examples: `Examples`.
        batch_size: int.
        seed: int.
        word_dropout: float. Rate at which words seen once in training are
            replaced by unknown. Defaults to `0.0`.
        counts: int array `(vocabulary,)`, how often each id occurs in
            training. Needed for word dropout.

    Attributes:
        epoch: int. Which epoch `dataset()` gives next; a callback sets it.
    """

    def __init__(self, examples, batch_size, seed, word_dropout=0.0, counts=None):
        self.examples = examples
        self.batch_size = batch_size
        self.seed = seed
        self.word_dropout = word_dropout
        self.epoch = 0
        self._once = None
        if word_dropout:
            self._once = np.asarray(counts)[examples.token_ids] == 1

    def __len__(self):
        return -(-len(self.examples) // self.batch_size)

    def batches(self, epoch):
        """Yields `(inputs, labels, sample_weight)` of one epoch as arrays."""
        random = np.random.default_rng([self.seed, epoch])
        token_ids = self.examples.token_ids
        if self._once is not None:
            dropped = self._once & (random.random(token_ids.shape) < self.word_dropout)
            token_ids = np.where(dropped, UNKNOWN, token_ids)
        order = random.permutation(len(self.examples))
        rows = []
        pool = POOL_BATCHES * self.batch_size
        for start in range(0, len(order), pool):
            part = order[start : start + pool]
            part = part[np.argsort(self.examples.lengths[part], kind="stable")]
            rows += np.split(part, range(self.batch_size, len(part), self.batch_size))
        for place in random.permutation(len(rows)):
            yield self._batch(rows[place], token_ids)

    def _batch(self, rows, token_ids):
        time = bucket_bound(int(self.examples.lengths[rows].max()))
        short = self.batch_size - len(rows)

        def take(values, fill):
            taken = values[rows][:, :time]
            wide = time - taken.shape[1]
            return np.pad(taken, [(0, short), (0, wide)], constant_values=fill)

        ids = take(token_ids, 0)
        ids[len(rows) :, 0] = UNKNOWN
        labels = {
            "intent": np.pad(self.examples.intent[rows], (0, short)),
            "slots": take(self.examples.slots, -1),
        }
        labels["slots"][len(rows) :, 0] = 0
        weight = np.ones(self.batch_size, np.float32)
        weight[len(rows) :] = 0.0
        return {"token_ids": ids}, labels, weight

    def dataset(self):
        """A `tf.data.Dataset`; each pass over it gives epoch `self.epoch`."""
        size = self.batch_size
        time = tf.TensorSpec((size, None), tf.int32)
        signature = (
            {"token_ids": time},
            {"intent": tf.TensorSpec((size,), tf.int32), "slots": time},
            tf.TensorSpec((size,), tf.float32),
        )
        dataset = tf.data.Dataset.from_generator(
            lambda: self.batches(self.epoch), output_signature=signature
        )
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(len(self)))
        return dataset.prefetch(tf.data.AUTOTUNE)
