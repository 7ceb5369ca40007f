"""One task of a SkillNet on a device: pieces in, an answer out."""

import tensorflow as tf

from keras_slu.export.litert_encoders import fixed
from keras_slu.export.litert_graph import text_length
from keras_slu.parsing.skill_texts import device_inputs

# What `decode` gives for each word, padded to the row's length.
BY_WORD = {"tags": -1, "confidence": -1.0}


class SkillDeviceGraph:
    """One task of a SkillNet as a function of one row of pieces.

    Sizes are fixed at the boundary only: inside, the row is cut to what it
    holds, and the outputs are padded again. The inputs are those that
    `device_inputs` names, int32 `(1, max_pieces)`, 0 at padding. The function
    gives what `SkillNet.decode` does, with the batch of one.

    Args:
        model: `SkillNet` with one task.
        max_pieces: int. Of a row.
    """

    def __init__(self, model, max_pieces):
        [self._task] = model.tasks
        self._model = model
        self._size = max_pieces
        self._names = device_inputs(self._task)

    def function(self):
        """The function, with its input signature."""
        specs = [
            tf.TensorSpec((1, self._size), tf.int32, name=name) for name in self._names
        ]
        return tf.function(self._answer, input_signature=specs)

    def _answer(self, *given):
        given = dict(zip(self._names, given, strict=True))
        pieces = _cut(given["pieces"], given["pieces"])
        nothing = tf.zeros([1, 0], tf.int32)
        inputs = {
            "pieces": pieces,
            "segments": tf.zeros_like(pieces),
            "words": nothing,
            "second": nothing,
        }
        if "segments" in given:
            inputs["segments"] = _cut(given["segments"], given["pieces"])
        for name in ("words", "second"):
            if name in given:
                inputs[name] = _cut(given[name], given[name])
        outputs = self._model(inputs, task=self._task.name, training=False)
        answers = self._model.decode(self._task.name, outputs, inputs)
        return {name: self._padded(name, value) for name, value in answers.items()}

    def _padded(self, name, value):
        if name not in BY_WORD:
            return value
        # Cut, not padded: then no size is computed, which costs much time.
        filling = tf.fill([1, self._size], tf.constant(BY_WORD[name], value.dtype))
        row = tf.concat([value, filling], axis=1)[:, : self._size]
        return tf.reshape(row, (1, self._size))


def _cut(values, of):
    """Values `(1, size)` up to where the padding of others begins."""
    return values[:, : text_length(of[0])]


def example_inputs(task, examples, size):
    """The inputs of encoded examples, on which ranges are measured."""
    names = device_inputs(task)
    rows = [row for of_example in examples.rows for row in of_example]
    return [{name: fixed(getattr(row, name), size) for name in names} for row in rows]
