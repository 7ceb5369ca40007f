"""The parser as one TensorFlow graph: texts in, named answers out."""

import tensorflow as tf

from keras_slu.parsing.frames import FrameMaker
from keras_slu.text.in_graph import InGraphTokenizer
from keras_slu.text.vocabulary import PADDING
from keras_slu.text.vocabulary import UNKNOWN


class ParserGraph:
    """A joint model with its text side, as functions for a SavedModel.

    Each gives a dict of tensors with the batch first, padded at the end of a
    row: `intents` strings and `intent_probabilities` float32
    `(batch, intents)`, by falling probability; `intent_active` bool
    `(batch, intents)`, the intents of the most probable class or, of a
    sigmoid, those at or above its threshold; `is_unknown` and `truncated` bool
    `(batch,)`; `tags` strings `(batch, time)`, `""` at padding;
    `slot_confidence` float32 `(batch, time)`, -1 at padding.

    Args:
        model: `JointSLU` with `tokenizer` and `vocabulary`.
    """

    def __init__(self, model):
        self._model = model
        # Pieces are looked up elsewhere.
        vocabulary = None if model.reads_pieces else model.vocabulary
        self._tokenizer = InGraphTokenizer(model.tokenizer, vocabulary)
        self._maker = FrameMaker(model.intents, model.tags)

    @tf.function(input_signature=[tf.TensorSpec((None,), tf.string, name="text")])
    def parse_texts(self, text):
        """Parses texts, UTF-8 `(batch,)`.

        The dict has `tokens` too, strings, `""` at padding, and `starts` and
        `ends`, int32, -1 at padding, in code points; all `(batch, time)`. A
        text without tokens is a row of padding.
        """
        rows = self._tokenizer.rows(text, self._model.max_tokens)
        inputs = {"token_ids": rows.pop("token_ids")}
        return {**self._answers(inputs, rows["starts"] >= 0), **rows}

    @tf.function(
        input_signature=[tf.TensorSpec((None, None), tf.int32, name="token_ids")]
    )
    def parse_token_ids(self, token_ids):
        """Parses token ids `(batch, time)`, 0 at padding, right-padded.

        An id that the model does not have, and a 0 between others, reads as
        the unknown word: a fault in one row must not fail the whole batch.
        """
        max_tokens = self._model.max_tokens
        token_ids, lengths = _mend(token_ids, len(self._model.vocabulary))
        is_token = tf.sequence_mask(
            tf.minimum(lengths, max_tokens),
            tf.minimum(tf.shape(token_ids)[1], max_tokens),
        )
        answers = self._answers({"token_ids": token_ids[:, :max_tokens]}, is_token)
        return {**answers, "truncated": lengths > max_tokens}

    def signatures(self):
        """The functions of a SavedModel by the names of their signatures."""
        return {"serving_default": self.parse_texts, "token_ids": self.parse_token_ids}

    def save(self, folder):
        """Writes a SavedModel of all signatures to `folder`."""
        # All that is stored: no optimizer, no layers, and of the weights those
        # that an answer depends on, not what is there for training alone.
        weights = tf.Module()
        weights.all = list(self.parse_texts.get_concrete_function().variables)
        tf.saved_model.save(weights, str(folder), self.signatures())

    def _answers(self, inputs, is_token):
        """The outputs that both forms share, of the model's inputs."""
        outputs = self._model(inputs, training=False)
        answers = self._model.decode(outputs, self._model.padding_mask(inputs))
        return self._shown(answers, is_token)

    def _shown(self, answers, is_token):
        """What `decode` gives, as outputs."""
        tags = tf.gather(self._model.tags, tf.maximum(answers["tags"], 0))
        return {
            **self._ranking(answers),
            "is_unknown": answers["is_unknown"],
            "tags": tf.where(is_token, tags, ""),
            "slot_confidence": tf.where(
                is_token, tf.cast(answers["slot_confidence"], tf.float32), -1.0
            ),
        }

    def _ranking(self, answers):
        """Single intents by falling probability; in float64, as `FrameMaker`."""
        class_probabilities = answers["intent_probabilities"]
        members = tf.constant(self._maker.members)
        probabilities = tf.cast(class_probabilities, tf.float64) @ members
        ranked, order = tf.math.top_k(probabilities, len(self._maker.intents))
        if "intent_active" in answers:
            active = tf.cast(answers["intent_active"], tf.float64) @ members
        else:
            active = tf.gather(members, tf.math.top_k(class_probabilities, 1)[1][:, 0])
        return {
            "intents": tf.gather(tf.constant(self._maker.intents, tf.string), order),
            "intent_probabilities": tf.cast(tf.minimum(ranked, 1.0), tf.float32),
            "intent_active": tf.gather(active > 0.0, order, batch_dims=1),
        }


def _mend(token_ids, size):
    """Makes any ids such that a model takes them; gives their lengths too."""
    # A row holds one token at least.
    time = tf.shape(token_ids)[1]
    token_ids = tf.pad(token_ids, [[0, 0], [0, tf.maximum(1 - time, 0)]])
    place = tf.range(tf.shape(token_ids)[1])[None] + 1
    lengths = tf.reduce_max(tf.where(token_ids == PADDING, 1, place), axis=1)
    is_known = (token_ids > PADDING) & (token_ids < size)
    token_ids = tf.where(is_known, token_ids, UNKNOWN)
    return tf.where(place <= lengths[:, None], token_ids, PADDING), lengths
