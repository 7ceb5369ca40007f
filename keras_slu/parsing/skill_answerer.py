"""Runs a SkillNet on encoded examples, task by task."""

import tensorflow as tf

from keras_slu.data.skill_batches import stack_rows

BATCH = 32  # rows at once; masked pieces need 32 x 128 x vocabulary numbers


class SkillAnswerer:
    """Answers encoded examples, with one traced graph for each task.

    Args:
        model: `SkillNet`.
    """

    def __init__(self, model):
        self.model = model
        self._graphs = {}

    def answers(self, examples):
        """The answers and losses of all rows.

        Args:
            examples: `SkillExamples` of a task of the model.

        Returns:
            list of `(place, row, answer)`, by place: the example's place in
            `examples`, its `Row`, and a dict of what `SkillNet.decode` gives for
            it, without padding, and `loss`.
        """
        rows = examples.all_rows()
        order = sorted(range(len(rows)), key=lambda i: len(rows[i][1].pieces))
        found = [None] * len(rows)
        for start in range(0, len(order), BATCH):
            chosen = order[start : start + BATCH]
            of_batch = [rows[place][1] for place in chosen]
            answers = self._answer(of_batch, examples)
            for place, answer in zip(chosen, answers, strict=True):
                found[place] = (*rows[place], answer)
        return found

    def _answer(self, rows, examples):
        name = examples.task.name
        place = [task.name for task in self.model.tasks].index(name)
        inputs, targets = stack_rows(rows, examples, place)
        if name not in self._graphs:
            self._graphs[name] = self._trace(name)
        found = self._graphs[name](inputs, targets)
        found = {key: value.numpy() for key, value in found.items()}
        for place in range(len(rows)):
            yield {key: values[place] for key, values in found.items()}

    def _trace(self, name):
        matrix = tf.TensorSpec((None, None), tf.int32)
        inputs = dict.fromkeys(("pieces", "segments", "words", "second"), matrix)
        inputs["task"] = tf.TensorSpec((None,), tf.int32)

        @tf.function(input_signature=[inputs, matrix])
        def graph(inputs, targets):
            outputs = self.model(inputs, task=name, training=False)
            losses = self.model.losses_of(name, inputs, targets, outputs)
            return {**self.model.decode(name, outputs, inputs), "loss": losses}

        return graph
