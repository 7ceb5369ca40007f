"""An embedder that sees what was said so far, and nothing of what follows."""

import keras

from keras_slu.layers.two_channel_embedding import make_word_embedding


@keras.saving.register_keras_serializable(package="keras_slu")
class CausalEmbedder(keras.layers.Layer):
    """Turns token ids into features of each token and those before it.

    A word embedding and one LSTM from left to right: the stream encoder of a
    model that answers while the speaker goes on.

    Args:
        vocabulary_size: int. Number of token ids, padding (0) and unknown (1)
            included.
        embedding_dim: int. Width of the word embedding.
        dim: int. Width of the output.
        static_dim: int. Width of pretrained vectors beside the word embedding,
            see `TwoChannelEmbedding`; 0 for none. Defaults to `0`.
        tuned_words: int. With a static channel, the rows of the other.
        embedding_dropout: float. Rate, on the embedding's features. Defaults
            to `0.0`.
        dropout: float. Rate, on the output. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        token_ids: int tensor `(batch, time)`, 0 at padding, right-padded.
        padding_mask: not read, since padding comes later; taken so that the
            layer can stand for any stream encoder.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> embedder = CausalEmbedder(100, embedding_dim=8, dim=16)
    >>> embedder(np.array([[4, 7, 2, 0, 0]])).shape
    TensorShape([1, 5, 16])
    """

    def __init__(
        self,
        vocabulary_size,
        embedding_dim,
        dim,
        static_dim=0,
        tuned_words=None,
        embedding_dropout=0.0,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.embedding_dim = embedding_dim
        self.dim = dim
        self.static_dim = static_dim
        self.tuned_words = tuned_words
        self.embedding_dropout = embedding_dropout
        self.dropout = dropout
        settings = {"dtype": self.dtype_policy}
        self.embedding = make_word_embedding(
            vocabulary_size,
            embedding_dim,
            static_dim,
            tuned_words,
            name="embedding",
            **settings,
        )
        self.drop_embedding = keras.layers.Dropout(embedding_dropout, **settings)
        self.lstm = keras.layers.LSTM(dim, return_sequences=True, **settings)
        self.drop_output = keras.layers.Dropout(dropout, **settings)

    def build(self, input_shape):
        self.embedding.build(input_shape)
        self.lstm.build((*input_shape, self.static_dim + self.embedding_dim))

    def call(self, token_ids, padding_mask=None, training=None):
        embedded = self.drop_embedding(self.embedding(token_ids), training=training)
        hidden = self.lstm(embedded, training=training)
        return self.drop_output(hidden, training=training)

    def compute_output_spec(self, token_ids, padding_mask=None, training=None):
        return keras.KerasTensor((*token_ids.shape, self.dim), self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "vocabulary_size": self.vocabulary_size,
                "embedding_dim": self.embedding_dim,
                "dim": self.dim,
                "static_dim": self.static_dim,
                "tuned_words": self.tuned_words,
                "embedding_dropout": self.embedding_dropout,
                "dropout": self.dropout,
            }
        )
        return config
