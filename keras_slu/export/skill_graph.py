"""A SkillNet as one TensorFlow graph for each task, from text to answers."""

import tensorflow as tf

from keras_slu.errors import InputError
from keras_slu.parsing.skill_texts import answering
from keras_slu.parsing.skill_texts import input_names
from keras_slu.text.word_pieces_in_graph import InGraphWordPieces


class SkillGraph:
    """A SkillNet with its text side, as functions for a SavedModel.

    Each task has a function of strings `(batch,)`, UTF-8, see `input_names`,
    which computes its own skills only. It gives a dict with the batch first:
    `truncated`, bool `(batch,)`, and by the kind of the task

    - classification, pair, matching: `labels`, strings, and `probabilities`,
      float32, `(batch, labels)`, by falling probability;
    - tagging: `tags`, strings `(batch, words)`, `""` at padding, `confidence`,
      float32, -1 at padding, and `starts` and `ends`, int32, in code points, -1
      at padding;
    - span: `answer`, strings `(batch,)`, `start` and `end`, int32, in code
      points of the passage, `probability` and `no_answer`, float32;
    - ranking: `score`, float32 `(batch,)`.

    Args:
        model: `SkillNet` with `pieces`.

    Raises:
        InputError: for a model of which no task answers texts.
    """

    def __init__(self, model):
        self._model = model
        self._pieces = InGraphWordPieces(model.pieces, model.encoder.max_pieces)
        self.tasks = answering(model.tasks)
        if not self.tasks:
            raise InputError(
                "the model has no task that answers texts",
                "Train one that starts from it.",
            )

    def signatures(self):
        """The functions by the names of their tasks, the first as the default too."""
        functions = {task.name: self._function(task) for task in self.tasks}
        return {"serving_default": functions[self.tasks[0].name], **functions}

    def save(self, folder):
        """Writes a SavedModel of all signatures to `folder`."""
        signatures = self.signatures()
        variables = {
            id(variable): variable
            for function in signatures.values()
            for variable in function.get_concrete_function().variables
        }
        weights = tf.Module()  # all that is stored: no optimizer, no idle skill
        weights.all = list(variables.values())
        tf.saved_model.save(weights, str(folder), signatures)

    def _function(self, task):
        answer = {
            "tagging": self._tags,
            "span": self._spans,
            "ranking": self._ranking,
        }.get(task.kind, self._choices)

        def answer_texts(*texts):
            return answer(task, *texts)

        signature = [tf.TensorSpec((None,), tf.string, n) for n in input_names(task)]
        return tf.function(answer_texts, input_signature=signature)

    def _decoded(self, task, pieces, segments=None, words=None, second=None):
        """What `decode` gives for rows of pieces."""
        batch = tf.shape(pieces)[0]
        nothing = tf.zeros([batch, 0], tf.int32)
        inputs = {
            "pieces": pieces,
            "segments": tf.zeros_like(pieces) if segments is None else segments,
            "words": nothing if words is None else words,
            "second": nothing if second is None else second,
        }
        outputs = self._model(inputs, task=task.name, training=False)
        return self._model.decode(task.name, outputs, inputs)

    def _choices(self, task, *texts):
        splits = [self._pieces.split(text).ids for text in texts]
        pieces, segments, truncated = self._pieces.pack(*splits)
        answers = self._decoded(task, pieces, segments)
        ranked, order = tf.math.top_k(answers["probabilities"], len(task.labels))
        return {
            "labels": tf.gather(tf.constant(task.labels), order),
            "probabilities": ranked,
            "truncated": truncated,
        }

    def _tags(self, task, text):
        rows = self._pieces.words(self._pieces.split(text))
        answers = self._decoded(task, rows["pieces"], words=rows["words"])
        is_word = rows["starts"] >= 0
        tags = tf.gather(tf.constant(task.labels), tf.maximum(answers["tags"], 0))
        confidence = tf.cast(answers["confidence"], tf.float32)
        return {
            "tags": tf.where(is_word, tags, ""),
            "confidence": tf.where(is_word, confidence, -1.0),
            "starts": rows["starts"],
            "ends": rows["ends"],
            "truncated": rows["truncated"],
        }

    def _ranking(self, task, question, candidate):
        splits = [self._pieces.split(text).ids for text in (question, candidate)]
        (first, _, one), (second, _, other) = (self._pieces.pack(s) for s in splits)
        answers = self._decoded(task, first, second=second)
        return {"score": answers["scores"], "truncated": one | other}

    def _spans(self, task, question, passage):
        rows = self._pieces.windows(
            self._pieces.split(question), self._pieces.split(passage)
        )
        answers = self._decoded(task, rows["pieces"], rows["segments"])
        answers = {
            "start": _picked(rows["starts"], answers["start"]),
            "end": _picked(rows["ends"], answers["end"]),
            "probability": answers["probability"],
            "no_answer": answers["no_answer"],
        }
        best = _best_rows(answers["probability"], rows["example"], tf.size(question))
        answers = {name: tf.gather(value, best) for name, value in answers.items()}
        length = answers["end"] - answers["start"]
        text = tf.strings.substr(passage, answers["start"], length, unit="UTF8_CHAR")
        return {**answers, "answer": text, "truncated": rows["truncated"]}


def _picked(places, chosen):
    """The place in the passage of a chosen piece of each row; 0 for none."""
    return tf.maximum(tf.gather(places, chosen, batch_dims=1), 0)


def _best_rows(probability, example, batch):
    """The first row of the highest probability of each example, `(batch,)`."""
    highest = tf.math.unsorted_segment_max(probability, example, batch)
    is_best = probability >= tf.gather(highest, example)
    number = tf.range(tf.size(probability))
    number = tf.where(is_best, number, tf.size(probability))
    return tf.math.unsorted_segment_min(number, example, batch)
