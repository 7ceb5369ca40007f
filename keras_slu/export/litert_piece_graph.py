"""The parser of a model on a pretrained encoder, for one utterance on a device."""

import tensorflow as tf

from keras_slu.export.litert_graph import DeviceGraph
from keras_slu.export.litert_graph import text_length


class DevicePieceGraph(DeviceGraph):
    """`DeviceGraph` of pieces that the client makes.

    Its function takes two inputs. `token_ids` int32 `(1, max_pieces)`: the
    encoder's own ids, with what it knows texts to begin and end with, its pad
    id at padding. `word_starts` int32 `(1, max_tokens)`: the place of each
    word's first piece, -1 at padding. Where a place leads out of the text,
    padding begins. No words are answered as one of padding.

    It gives what `DeviceGraph` does but `truncated`: who makes the pieces knows.
    """

    def function(self, input):
        """The function, with its input signature; `input` is `"token_ids"`."""
        signature = [
            tf.TensorSpec((1, self._max_pieces), tf.int32, name=input),
            tf.TensorSpec((1, self._max_tokens), tf.int32, name="word_starts"),
        ]
        return tf.function(self._parse_pieces, input_signature=signature)

    @property
    def _max_pieces(self):
        return self._model.vocabulary.max_pieces

    def _parse_pieces(self, token_ids, word_starts):
        pieces = self._model.vocabulary.pieces
        length = text_length(token_ids[0], pieces.pad_id)
        token_ids = tf.clip_by_value(token_ids[:, :length], 0, pieces.size - 1)
        starts = word_starts[0]
        is_word = (starts >= 0) & (starts < length)
        places = tf.range(self._max_tokens)
        count = tf.reduce_min(tf.where(is_word, self._max_tokens, places))
        read = tf.maximum(count, 1)  # a mask holds one word at least
        inputs = {
            "token_ids": token_ids,
            "padding_mask": tf.ones_like(token_ids, tf.bool),
            "word_starts": tf.clip_by_value(starts[:read], 0, length - 1)[None],
        }
        outputs = self._model(inputs, training=False)
        answers = self._model.decode(outputs, self._model.padding_mask(inputs))
        return self._shown(answers, places[:read] < count)
