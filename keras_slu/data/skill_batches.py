"""Batches for a SkillNet: each of one task, the tasks sampled by their sizes."""

import numpy as np
import tensorflow as tf

from keras_slu.data.batches import POOL_BATCHES
from keras_slu.data.batches import bucket_bound
from keras_slu.data.encoding import pad_rows
from keras_slu.data.epoch_dataset import epoch_dataset


def task_shares(sizes, alpha):
    """How often each task is sampled: `q_i = |T_i|^alpha / sum_j |T_j|^alpha`.

    Args:
        sizes: sequence of int, the numbers of examples.
        alpha: float. 0 samples all tasks alike, 1 by their sizes.

    Returns:
        float64 array, which adds up to 1.

    Example:

    >>> task_shares([100, 400], 0.5).round(3)
    array([0.333, 0.667])

    Reference:
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312)
    """
    powers = np.asarray(sizes, np.float64) ** alpha
    return powers / powers.sum()


class SkillBatches:
    """Shuffled batches of an epoch, a function of `(seed, epoch)` alone.

    An epoch has as many batches as all tasks together fill, divided between the
    tasks by `task_shares`, and rounded so that nothing but the rounding is left
    to chance. A task whose share is less than its examples shows a part of
    them, another part in each epoch; one whose share is more begins anew.
    Within a task, examples are shuffled and sorted by length within pools. A
    batch that examples do not fill repeats one with weight 0, so that replicas
    can split it.

    Args:
        tasks: list of `SkillExamples`, in the order of the model's tasks.
        batch_size: int.
        seed: int.
        alpha: float. See `task_shares`. Defaults to `1.0`.
        places: list of int, the place in the model of each task's `SkillTask`.
            Defaults to `None`: 0, 1, 2 and so on.

    Attributes:
        epoch: int. Which epoch `dataset()` gives next; a callback sets it.
    """

    def __init__(self, tasks, batch_size, seed, alpha=1.0, places=None):
        self.tasks = tasks
        self.batch_size = batch_size
        self.seed = seed
        self.places = list(range(len(tasks))) if places is None else places
        self.epoch = 0
        self._lengths = [
            np.array([max(len(row.pieces) for row in rows) for rows in task.rows])
            for task in tasks
        ]
        sizes = [len(task) for task in tasks]
        steps = sum(-(-size // batch_size) for size in sizes)
        self.counts = _rounded(task_shares(sizes, alpha) * steps)

    def __len__(self):
        return int(self.counts.sum())

    def batches(self, epoch):
        """Yields `(inputs, targets, sample_weight)` of one epoch as arrays."""
        random = np.random.default_rng([self.seed, epoch])
        order = np.repeat(np.arange(len(self.tasks)), self.counts)
        places = [self._places(task, random) for task in range(len(self.tasks))]
        for task in random.permutation(order):
            examples = self.tasks[task]
            rows = [examples.draw(place, random) for place in next(places[task])]
            yield self._batch(rows, int(task))

    def _places(self, task, random):
        """Yields the examples of each batch of a task, pass after pass."""
        lengths, size = self._lengths[task], self.batch_size
        while True:
            order = random.permutation(len(lengths))
            batches = []
            for start in range(0, len(order), POOL_BATCHES * size):
                pool = order[start : start + POOL_BATCHES * size]
                pool = pool[np.argsort(lengths[pool], kind="stable")]
                batches += np.split(pool, range(size, len(pool), size))
            for place in random.permutation(len(batches)):
                yield batches[place]

    def _batch(self, rows, task):
        weight = np.zeros(self.batch_size, np.float32)
        weight[: len(rows)] = 1.0
        rows = rows + rows[:1] * (self.batch_size - len(rows))
        examples = self.tasks[task]
        inputs, targets = stack_rows(rows, examples, self.places[task])
        return inputs, targets, weight

    def dataset(self):
        """A `tf.data.Dataset`; each pass over it gives epoch `self.epoch`."""
        matrix = tf.TensorSpec((self.batch_size, None), tf.int32)
        inputs = dict.fromkeys(("pieces", "segments", "words", "second"), matrix)
        inputs["task"] = tf.TensorSpec((self.batch_size,), tf.int32)
        signature = (inputs, matrix, tf.TensorSpec((self.batch_size,), tf.float32))
        return epoch_dataset(self, signature)


def stack_rows(rows, examples, place):
    """Pads rows of one task to a bucket bound.

    Args:
        rows: list of `Row`.
        examples: `SkillExamples` that they are of.
        place: int. The task's place in the model.

    Returns:
        `(inputs, targets)`: the dict of arrays that a `SkillNet` takes, and an
        int32 array `(batch, k)`.
    """

    def padded(name, fill=0):
        values = [getattr(row, name) for row in rows]
        bound = bucket_bound(max(map(len, values)))
        return pad_rows(values, fill, min(bound, examples.max_pieces))

    inputs = {name: padded(name) for name in ("pieces", "segments", "words", "second")}
    inputs["task"] = np.full(len(rows), place, np.int32)
    kind = examples.task.kind
    if kind in ("tagging", "masked_pieces"):  # a target for each of `words`
        return inputs, padded("targets", fill=-1)
    return inputs, np.stack([row.targets for row in rows])


def _rounded(shares):
    """Whole numbers with the same sum, each next to its share."""
    counts = np.floor(shares).astype(int)
    missing = round(shares.sum()) - counts.sum()
    counts[np.argsort(counts - shares, kind="stable")[:missing]] += 1
    return counts
