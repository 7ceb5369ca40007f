"""Runs a joint model over utterances of any length, in batches."""

import numpy as np
import tensorflow as tf

from keras_slu.data.dialogue_encoding import pad_histories
from keras_slu.data.encoding import pad_rows
from keras_slu.data.history import HISTORY
from keras_slu.data.history import history_rows

BATCH_SIZE = 64
NO_HISTORY = history_rows([], 0)


class Answerer:
    """The model and its decoding as one compiled function.

    Args:
        model: `JointSLU`.
    """

    def __init__(self, model):
        self.model = model
        ids = tf.TensorSpec((None, None), tf.int32)
        specs = {"token_ids": ids}
        if model.max_history:
            specs |= dict.fromkeys(HISTORY, ids)
        if model.reads_pieces:
            mask = tf.TensorSpec((None, None), tf.bool)
            specs |= {"padding_mask": mask, "word_starts": ids}
        is_set = model.intent_head == "sigmoid"
        intents = ids if is_set else tf.TensorSpec((None,), tf.int32)

        @tf.function(input_signature=[specs])
        def answer(inputs):
            outputs = model(inputs, training=False)
            return model.decode(outputs, model.padding_mask(inputs))

        @tf.function(input_signature=[specs, intents, ids])
        def answer_and_loss(inputs, intent, slots):
            outputs = model(inputs, training=False)
            answers = model.decode(outputs, model.padding_mask(inputs))
            labels = {"intent": intent, "slots": slots}
            losses = model.utterance_losses(inputs, labels, outputs)
            return {**answers, "loss": losses}

        self._answer = answer
        self._answer_and_loss = answer_and_loss

    def answers(self, rows, histories=None):
        """Answers for token ids.

        Args:
            rows: list of int32 arrays, none empty.
            histories: list of what `history_rows` gives, for a model that
                takes it. Defaults to none, the first turns of dialogues.

        Returns:
            list of dicts, in the order of `rows`: `intent_probabilities`
            `(classes,)`, `tags` and `slot_confidence` `(tokens,)`,
            `is_unknown`, and of a sigmoid `intent_active` `(classes,)`.
        """

        def run(batch):
            inputs = self._pack(pad_rows([rows[place] for place in batch], 0))
            if self.model.max_history:
                heard = [histories[place] for place in batch] if histories else []
                inputs |= pad_histories(heard or [NO_HISTORY] * len(batch))
            return self._answer(inputs)

        return self._run(rows, run)

    def answers_and_losses(self, examples):
        """Answers for encoded utterances, each with its `loss`."""
        lengths = examples.lengths

        def run(batch):
            time = lengths[batch].max()
            history = {n: values[batch] for n, values in examples.history.items()}
            return self._answer_and_loss(
                {**self._pack(examples.token_ids[batch, :time]), **history},
                examples.intent[batch],
                examples.slots[batch, :time],
            )

        return self._run(examples.rows(), run)

    def _pack(self, token_ids):
        """Rows of word ids as the model's inputs."""
        if not self.model.reads_pieces:
            return {"token_ids": token_ids}
        return self.model.vocabulary.pack(token_ids)

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
