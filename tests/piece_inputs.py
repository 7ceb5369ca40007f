"""A stand-in for a pretrained encoder, and inputs of pieces."""

import keras
import numpy as np
from checks import array
from checks import pad
from keras import ops
from models_data import Y

X = {
    "token_ids": np.array(
        [[2, 4, 8, 9, 1, 5], [2, 6, 3, 8, 0, 0], [2, 7, 0, 0, 0, 0], [2, 2, 2, 9, 4, 3]]
    ).astype("int32"),
    "word_starts": np.array(
        [[1, 2, 4, 5], [1, 2, 3, -1], [1, -1, -1, -1], [1, 2, 3, 5]], "int32"
    ),
}
X["padding_mask"] = (X["token_ids"] != 0).astype("int32")
_FIRST = np.full((4, 1), -1, "int32")
# With the tag before each word, for SLG.
TAUGHT = {**X, "prev_tags": np.concatenate([_FIRST, Y["slots"][:, :-1]], axis=1)}


@keras.saving.register_keras_serializable(package="tests")
class PiecesBefore(keras.layers.Layer):
    """In place of a pretrained encoder: a piece has the sum of those up to it."""

    dim = 8

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.embedding = keras.layers.Embedding(12, self.dim, dtype=self.dtype_policy)

    def build(self, input_shape=None):
        self.embedding.build()

    def call(self, token_ids, padding_mask, training=None):
        return ops.cumsum(self.embedding(token_ids), axis=1)

    def compute_output_spec(self, token_ids, padding_mask, training=None):
        return keras.KerasTensor((*token_ids.shape, self.dim), self.compute_dtype)


def expected_rows(model):
    """The features of the text and of each word's first piece, `(4, 5, dim)`.

    The dense layer between is left out.
    """
    table = array(model.encoder.encoder.embedding.embeddings)
    features = np.cumsum(table[X["token_ids"]], axis=1)
    places = np.pad(X["word_starts"], [(0, 0), (1, 0)])
    return np.take_along_axis(features, places[..., None], axis=1)


def padded():
    """The inputs with more padding."""
    longer = {name: pad(values) for name, values in X.items()}
    longer["word_starts"][:, 4:] = -1
    return longer
