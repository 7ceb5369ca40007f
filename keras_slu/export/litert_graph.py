"""The parser as a TensorFlow graph for one utterance on a device."""

import tensorflow as tf

from keras_slu.text.in_graph import InGraphTokenizer
from keras_slu.text.vocabulary import UNKNOWN


class DeviceGraph:
    """A joint model as functions of one utterance, in and out of fixed shape.

    Sizes are fixed at the boundary only: inside, everything is cut to what the
    utterance holds, and the outputs are padded again. So a short utterance
    costs what a short utterance costs.

    Each function gives a dict: `tags` int32 `(1, max_tokens)`, ids, -1 at
    padding; `slot_confidence` float32 `(1, max_tokens)`, -1 at padding;
    `intent_probabilities` float32 `(1, classes)`; `is_unknown` and `truncated`
    int32 `(1,)`, 0 or 1, since LiteRT in browsers has no bool; of a model with
    a sigmoid `intent_active` int32 `(1, classes)` likewise.

    Args:
        model: `JointModel` with `tokenizer` and `vocabulary`.
        max_tokens: int. Tokens beyond it are cut.
        max_chars: int. Code points beyond it are cut, and with them a token
            that they may belong to.
    """

    def __init__(self, model, max_tokens, max_chars):
        self._model = model
        self._max_tokens = max_tokens
        self._max_chars = max_chars

    def function(self, input):
        """The function of `input`, `"codepoints"` or `"token_ids"`."""
        size = {"codepoints": self._max_chars, "token_ids": self._max_tokens}[input]
        parse = {"codepoints": self._parse_text, "token_ids": self._parse_ids}[input]
        # One place more than is read: what stands there tells of a cut.
        given = tf.TensorSpec((1, size + 1), tf.int32, name=input)
        return tf.function(parse, input_signature=[given, *self._state_specs()])

    def _state_specs(self):
        """What a function takes besides its input, a list of `TensorSpec`."""
        return []

    def _parse_text(self, codepoints, *state):
        """Parses code points; the dict has `starts` and `ends` too."""
        tokenizer = InGraphTokenizer(self._model.tokenizer, self._model.vocabulary)
        text = codepoints[0]
        token_ids, starts, ends = tokenizer(text[: text_length(text)])
        # What ends with the input may go on behind it.
        whole = tf.reduce_sum(tf.cast(ends <= self._max_chars, tf.int32))
        tokens = tf.stack([token_ids, starts, ends])
        # No tokens are one unknown token, which stands nowhere.
        tokens = tf.concat([[[UNKNOWN], [-1], [-1]], tokens], axis=1)
        tokens = tokens[:, tf.minimum(whole, 1) : whole + 1][:, : self._max_tokens]
        token_ids, starts, ends = tf.unstack(tokens)
        is_cut = (text[-1] != 0) | (whole > self._max_tokens)
        return {
            **self._answers(token_ids, starts >= 0, is_cut, state),
            "starts": self._row(starts, -1),
            "ends": self._row(ends, -1),
        }

    def _parse_ids(self, token_ids, *state):
        """Parses token ids; a 0 between others, or none, reads as unknown."""
        token_ids = token_ids[0]
        is_cut = token_ids[-1] != 0
        token_ids = token_ids[: text_length(token_ids)][: self._max_tokens]
        is_known = (token_ids > 0) & (token_ids < len(self._model.vocabulary))
        token_ids = tf.where(is_known, token_ids, UNKNOWN)
        return self._answers(token_ids, True, is_cut, state)

    def _decode(self, token_ids, state):
        """What `decode` gives for token ids `(1, time)`, and more outputs."""
        inputs = {"token_ids": token_ids}
        outputs = self._model(inputs, training=False)
        return self._model.decode(outputs, self._model.padding_mask(inputs)), {}

    def _answers(self, token_ids, is_shown, is_cut, state):
        """The outputs that both forms share, for tokens that are shown."""
        answers, more = self._decode(token_ids[None], state)
        truncated = tf.cast(is_cut, tf.int32)[None]
        return {**self._shown(answers, is_shown), "truncated": truncated, **more}

    def _shown(self, answers, is_shown):
        """What `decode` gives, as outputs, for tokens that are shown."""
        tags = tf.where(is_shown, answers["tags"][0], -1)
        confidence = tf.cast(answers["slot_confidence"][0], tf.float32)
        shown = {
            "tags": self._row(tags, -1),
            "slot_confidence": self._row(tf.where(is_shown, confidence, -1.0), -1.0),
            "intent_probabilities": tf.cast(
                answers["intent_probabilities"], tf.float32
            ),
            "is_unknown": tf.cast(answers["is_unknown"], tf.int32),
        }
        if "intent_active" in answers:
            shown["intent_active"] = tf.cast(answers["intent_active"], tf.int32)
        return shown

    def _row(self, values, filling):
        """Values `(tokens,)` as `(1, max_tokens)`."""
        # Cut, not padded: then no size is computed, which costs much time.
        filling = tf.fill([self._max_tokens], filling)
        row = tf.concat([values, filling], axis=0)[: self._max_tokens]
        return tf.reshape(row, (1, self._max_tokens))


def text_length(values, padding=0):
    """The place behind the last value that is no padding, at least 1."""
    places = tf.where(values == padding, 1, tf.range(1, values.shape[0] + 1))
    return tf.reduce_max(places)
