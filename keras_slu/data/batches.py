"""Batches of equal size and similar lengths, the same for every replica count."""

from dataclasses import replace

import numpy as np
import tensorflow as tf

from keras_slu.data.epoch_dataset import epoch_dataset
from keras_slu.data.word_dropout import WordDropout
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
    replicas. Where utterances have a history, it is among the inputs; where they
    have a teacher's soft labels, these are among the labels, with the weight 0
    for utterances that slot exchange has changed.

    Args:
        examples: `Examples`.
        batch_size: int.
        seed: int.
        word_dropout: float. Rate at which words seen once in training are
            replaced by unknown. Defaults to `0.0`.
        counts: int array `(vocabulary,)`, how often each id occurs in
            training. Needed for word dropout.
        unknown_ids: int array `(vocabulary,)`, what each id becomes then.
            Defaults to `None`, the unknown word's.
        exchange: `SlotExchange` of the examples, or `None`. What each epoch's
            utterances are made by. Defaults to `None`.
        exchange_rate: float. The share of slots that get another value.
            Defaults to `0.0`.
        teacher: bool. Whether the inputs hold what an autoregressive model is
            taught with: `prev_tags` `(batch, time)`, the tag before each
            token, -1 where there is none to give, and `gold_intent`, the
            intent labels. Defaults to `False`.
        pack: function from padded rows of ids to the model's inputs, see
            `Vocabulary.pack` and `PieceVocabulary.pack`. Defaults to `None`,
            the former.

    Attributes:
        epoch: int. Which epoch `dataset()` gives next; a callback sets it.
    """

    def __init__(
        self,
        examples,
        batch_size,
        seed,
        word_dropout=0.0,
        counts=None,
        unknown_ids=None,
        exchange=None,
        exchange_rate=0.0,
        teacher=False,
        pack=None,
    ):
        self.examples = examples
        self.batch_size = batch_size
        self.seed = seed
        self.exchange = exchange
        self.exchange_rate = exchange_rate
        self.teacher = teacher
        self.pack = pack or (lambda token_ids: {"token_ids": token_ids})
        self.epoch = 0
        self._drop_words = WordDropout(word_dropout, counts, unknown_ids)

    def __len__(self):
        return -(-len(self.examples) // self.batch_size)

    def batches(self, epoch):
        """Yields `(inputs, labels, sample_weight)` of one epoch as arrays."""
        random = np.random.default_rng([self.seed, epoch])
        examples = self._examples(random)
        order = random.permutation(len(examples))
        rows = []
        pool = POOL_BATCHES * self.batch_size
        for start in range(0, len(order), pool):
            part = order[start : start + pool]
            part = part[np.argsort(examples.lengths[part], kind="stable")]
            rows += np.split(part, range(self.batch_size, len(part), self.batch_size))
        for place in random.permutation(len(rows)):
            yield self._batch(rows[place], examples)

    def _examples(self, random):
        """The epoch's utterances."""
        examples = self.examples
        if self.exchange_rate:
            examples = self.exchange.exchange(self.exchange_rate, random)
            if examples.soft:
                examples = _without_soft_labels(self.examples, examples)
        token_ids = self._drop_words(examples.token_ids, random)
        return replace(examples, token_ids=token_ids)

    def _batch(self, rows, examples):
        time = bucket_bound(int(examples.lengths[rows].max()))
        short = self.batch_size - len(rows)

        def take(values, fill):
            taken = values[rows][:, :time]
            wide = time - taken.shape[1]
            return np.pad(taken, [(0, short), (0, wide)], constant_values=fill)

        ids = take(examples.token_ids, 0)
        ids[len(rows) :, 0] = UNKNOWN
        intent = examples.intent[rows]
        labels = {
            "intent": np.pad(intent, [(0, short)] + [(0, 0)] * (intent.ndim - 1)),
            "slots": take(examples.slots, -1),
        }
        labels["slots"][len(rows) :, 0] = 0
        labels |= self._soft(rows, examples, time)
        weight = np.ones(self.batch_size, np.float32)
        weight[len(rows) :] = 0.0
        inputs = {**self.pack(ids), **self._history(rows, examples)}
        if self.teacher:
            first = np.full((self.batch_size, 1), -1, np.int32)
            inputs["prev_tags"] = np.concatenate([first, labels["slots"][:, :-1]], 1)
            inputs["gold_intent"] = labels["intent"]
        return inputs, labels, weight

    def _history(self, rows, examples):
        """The rows' histories; of the rows that fill a batch, none."""
        short = self.batch_size - len(rows)
        taken = {name: values[rows] for name, values in examples.history.items()}
        if not taken:
            return {}
        longest = max(1, int((taken["history_ids"] != 0).sum(axis=1).max()))
        width = bucket_bound(longest)
        return {
            name: np.pad(
                values[:, :width],
                [(0, short), (0, max(0, width - values.shape[1]))],
            )
            for name, values in taken.items()
        }

    def _soft(self, rows, examples, time):
        """A teacher's labels of the rows; of those that fill a batch, none."""
        found = {}
        for name, values in examples.soft.items():
            taken = values[rows]
            missing = [(0, self.batch_size - len(rows))] + [(0, 0)] * (taken.ndim - 1)
            if name == "soft_slots":
                taken = taken[:, :time]
                missing[1] = (0, time - taken.shape[1])
            found[name] = np.pad(taken, missing)
        return found

    def dataset(self):
        """A `tf.data.Dataset`; each pass over it gives epoch `self.epoch`."""
        size = self.batch_size
        time = tf.TensorSpec((size, None), tf.int32)
        intent = tf.TensorSpec((size, *self.examples.intent.shape[1:]), tf.int32)
        packed = self.pack(np.array([[UNKNOWN]], np.int32))
        inputs = {
            name: tf.TensorSpec((size, None), values.dtype)
            for name, values in packed.items()
        }
        inputs |= dict.fromkeys(self.examples.history, time)
        if self.teacher:
            inputs |= {"prev_tags": time, "gold_intent": intent}
        labels = {"intent": intent, "slots": time}
        for name, values in self.examples.soft.items():
            shape = [size, *values.shape[1:]]
            if name == "soft_slots":
                shape[1] = None
            labels[name] = tf.TensorSpec(shape, tf.float32)
        signature = (
            inputs,
            labels,
            tf.TensorSpec((size,), tf.float32),
        )
        return epoch_dataset(self, signature)


def _without_soft_labels(before, after):
    """The examples `after` with the weight 0 for those that are not as `before`."""
    is_same = before.lengths == after.lengths
    time = min(before.token_ids.shape[1], after.token_ids.shape[1])
    is_same &= (before.token_ids[:, :time] == after.token_ids[:, :time]).all(axis=1)
    weight = np.where(is_same, before.soft["soft_weight"], np.float32(0))
    return replace(after, soft={**before.soft, "soft_weight": weight})
