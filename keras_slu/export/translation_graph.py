"""The translator as one TensorFlow graph, from text to text."""

import tensorflow as tf

from keras_slu.export.tensorflow_text import import_tensorflow_text
from keras_slu.text.sentence_pieces import END
from keras_slu.text.sentence_pieces import PADDING


class TranslationGraph:
    """A translation model with its text side, as a function for a SavedModel.

    It does what `Translator.translate` does with greedy search.

    Args:
        model: `CapsuleTransformer` with `pieces`.
    """

    def __init__(self, model):
        self._model = model
        tensorflow_text = import_tensorflow_text()
        self._tokenizer = tensorflow_text.SentencepieceTokenizer(
            model.pieces.model, out_type=tf.int32
        )

    @tf.function(input_signature=[tf.TensorSpec((None,), tf.string, name="text")])
    def translate_texts(self, text):
        """Translates texts, UTF-8 `(batch,)`.

        Gives a dict of `(batch,)`: `text`, strings; `score`, float32, see
        `Translation`; `truncated`, bool.
        """
        ids = self._tokenizer.tokenize(text)
        most = self._model.max_tokens - 1
        truncated = ids.row_lengths() > most
        ends = tf.fill((tf.size(text), 1), END)
        source = tf.concat([ids[:, :most], ends], axis=1).to_tensor(PADDING)
        tokens, scores = self._model.translate(source)
        is_piece = (tokens != PADDING) & (tokens != END)
        pieces = tf.ragged.boolean_mask(tokens, is_piece)
        return {
            "text": self._tokenizer.detokenize(pieces),
            "score": scores,
            "truncated": truncated,
        }

    def save(self, folder):
        """Writes a SavedModel to `folder`."""
        weights = tf.Module()  # all that is stored: no optimizer, no layers
        weights.all = [weight.value for weight in self._model.weights]
        weights.tokenizer = self._tokenizer
        signatures = {"serving_default": self.translate_texts}
        tf.saved_model.save(weights, str(folder), signatures)
