"""Runs a joint model over utterances of any length, in batches."""

import numpy as np
import tensorflow as tf

from keras_slu.data.encoding import pad_rows

BATCH_SIZE = 64


class Answerer:
    """The model and its decoding as one compiled function.

    Args:
        model: `JointSLU`.
    """

    def __init__(self, model):
        self.model = model
        ids = tf.TensorSpec((None, None), tf.int32)

        @tf.function(input_signature=[ids])
        def answer(token_ids):
            inputs = {"token_ids": token_ids}
            outputs = model(inputs, training=False)
            return model.decode(outputs, model.padding_mask(inputs))

        @tf.function(input_signature=[ids, tf.TensorSpec((None,), tf.int32), ids])
        def answer_and_loss(token_ids, intent, slots):
            inputs = {"token_ids": token_ids}
            outputs = model(inputs, training=False)
            answers = model.decode(outputs, model.padding_mask(inputs))
            labels = {"intent": intent, "slots": slots}
            losses = model.utterance_losses(inputs, labels, outputs)
            return {**answers, "loss": losses}

        self._answer = answer
        self._answer_and_loss = answer_and_loss

    def answers(self, rows):
        """Answers for token ids.

        Args:
            rows: list of int32 arrays, none empty.

        Returns:
            list of dicts, in the order of `rows`: `intent_probabilities`
            `(classes,)`, `tags` and `slot_confidence` `(tokens,)`,
            `is_unknown`.
        """

        def run(batch):
            return self._answer(pad_rows([rows[place] for place in batch], 0))

        return self._run(rows, run)

    def answers_and_losses(self, examples):
        """Answers for encoded utterances, each with its `loss`."""
        lengths = examples.lengths
        rows = [row[:n] for row, n in zip(examples.token_ids, lengths, strict=True)]

        def run(batch):
            time = lengths[batch].max()
            return self._answer_and_loss(
                examples.token_ids[batch, :time],
                examples.intent[batch],
                examples.slots[batch, :time],
            )

        return self._run(rows, run)

    def _run(self, rows, run):
        """Runs batches of similar lengths; gives answers in the rows' order."""
        order = np.argsort([len(row) for row in rows], kind="stable")
        found = [None] * len(rows)
        for start in range(0, len(order), BATCH_SIZE):
            batch = order[start : start + BATCH_SIZE]
            results = {name: value.numpy() for name, value in run(batch).items()}
            for place, row in enumerate(batch):
                answer = {name: value[place] for name, value in results.items()}
                for name in ("tags", "slot_confidence"):
                    answer[name] = answer[name][: len(rows[row])]
                found[row] = answer
        return found
