"""Batches of sentence pairs, of similar lengths and about as many tokens each."""

import numpy as np
import tensorflow as tf

from keras_slu.data.encoding import pad_rows
from keras_slu.data.epoch_dataset import epoch_dataset
from keras_slu.text.sentence_pieces import END
from keras_slu.text.sentence_pieces import START
from keras_slu.text.sentence_pieces import UNKNOWN

ROWS = 8  # every batch has a multiple of it, and so can be split


class PairBatches:
    """Shuffled batches of an epoch, a function of `(seed, epoch)` alone.

    Pairs are sorted by the longer of their lengths, in random order where that
    is equal, and cut into batches that with their padding have at most
    `batch_tokens` tokens on either side, or 8 rows. Their number is the same in
    every epoch. The last batch is filled with rows of weight 0 that hold one
    unknown token. The other rows' weight makes of the loss, a sum over each
    sentence's tokens, the mean over the tokens of the batch.

    Args:
        sources: list of lists of int, with their end.
        targets: list of lists of int, without start and end.
        batch_tokens: int.
        seed: int.

    Attributes:
        epoch: int. Which epoch `dataset()` gives next; a callback sets it.
    """

    def __init__(self, sources, targets, batch_tokens, seed):
        self.sources = sources
        self.targets = targets
        self.seed = seed
        self.epoch = 0
        self._lengths = np.array(
            [
                max(len(source), len(target) + 1)
                for source, target in zip(sources, targets, strict=True)
            ]
        )
        self._cuts = _cuts(np.sort(self._lengths), batch_tokens)

    def __len__(self):
        return len(self._cuts) + 1

    def batches(self, epoch):
        """Yields `(inputs, labels, sample_weight)` of one epoch as arrays."""
        random = np.random.default_rng([self.seed, epoch])
        order = np.lexsort((random.random(len(self._lengths)), self._lengths))
        rows = np.split(order, self._cuts)
        for place in random.permutation(len(rows)):
            yield self._batch(rows[place])

    def _batch(self, rows):
        fill = -len(rows) % ROWS
        sources = [self.sources[row] for row in rows] + [[UNKNOWN]] * fill
        targets = [self.targets[row] for row in rows] + [[]] * fill
        labels = pad_rows([[*target, END] for target in targets], -1)
        weight = np.full(len(targets), 1.0, np.float32)
        weight[len(rows) :] = 0.0
        weight *= len(targets) / (labels[: len(rows)] >= 0).sum()
        inputs = {
            "token_ids": pad_rows(sources, 0),
            "target_ids": pad_rows([[START, *target] for target in targets], 0),
        }
        return inputs, {"target": labels}, weight

    def dataset(self):
        """A `tf.data.Dataset`; each pass over it gives epoch `self.epoch`."""
        ids = tf.TensorSpec((None, None), tf.int32)
        signature = (
            {"token_ids": ids, "target_ids": ids},
            {"target": ids},
            tf.TensorSpec((None,), tf.float32),
        )
        return epoch_dataset(self, signature)


def _cuts(lengths, batch_tokens):
    """Where to cut rows of rising lengths into batches."""
    cuts = []
    start = 0
    while start < len(lengths):
        rows = ROWS
        while (
            start + rows + ROWS <= len(lengths)
            and (rows + ROWS) * lengths[start + rows + ROWS - 1] <= batch_tokens
        ):
            rows += ROWS
        start += rows
        cuts.append(start)
    return cuts[:-1]
