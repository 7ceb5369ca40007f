"""Word vectors as they are, beside an embedding that training makes."""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_slu")
class TwoChannelEmbedding(keras.layers.Layer):
    """A static and a tuned channel of word embedding.

    The static channel holds pretrained vectors, for every word of the
    vocabulary; training leaves them alone, so words that it lacks stay
    comparable with words that it has. The tuned channel is learned, for the
    words of training; all others share its row of the unknown word, which
    `channel_dropout` teaches by taking known words for unknown.

    Args:
        vocabulary_size: int. Number of token ids, padding (0) and unknown (1)
            included.
        static_dim: int. Width of the pretrained vectors.
        tuned_dim: int. Width of the tuned channel.
        tuned_words: int. Rows of the tuned channel, padding and unknown
            included.
        channel_dropout: float. Rate at which the tuned channel takes a word
            for unknown in training. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        token_ids: int tensor `(batch, time)`.
        training: bool.

    Returns:
        float tensor `(batch, time, static_dim + tuned_dim)`.

    Example:

    >>> import numpy as np
    >>> embedding = TwoChannelEmbedding(5, static_dim=3, tuned_dim=2, tuned_words=4)
    >>> embedding(np.array([[2, 3, 4]])).shape
    TensorShape([1, 3, 5])
    >>> embedding.set_vectors(np.ones((5, 3)), rows=[0, 1, 2, 1, 3])

    Reference:
        - [Kim, 2014](https://arxiv.org/abs/1408.5882), CNN-multichannel
    """

    def __init__(
        self,
        vocabulary_size,
        static_dim,
        tuned_dim,
        tuned_words,
        channel_dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if not 2 <= tuned_words <= vocabulary_size:
            raise ValueError(
                "`tuned_words` must be between 2 and `vocabulary_size`. Received: "
                f"tuned_words={tuned_words}, vocabulary_size={vocabulary_size}"
            )
        self.vocabulary_size = vocabulary_size
        self.static_dim = static_dim
        self.tuned_dim = tuned_dim
        self.tuned_words = tuned_words
        self.channel_dropout = channel_dropout
        self.seed_generator = keras.random.SeedGenerator()

    def build(self, input_shape=None):
        self.tuned = self.add_weight(
            shape=(self.tuned_words, self.tuned_dim),
            initializer="uniform",
            name="tuned",
        )
        self.static = self.add_weight(
            shape=(self.vocabulary_size, self.static_dim),
            initializer="uniform",
            trainable=False,
            name="static",
        )
        # The tuned channel's row of each word. Made as if the first words of
        # the vocabulary were those of training.
        self.rows = self.add_weight(
            shape=(self.vocabulary_size,),
            dtype="int32",
            initializer=self._first_rows,
            trainable=False,
            name="rows",
        )

    def _first_rows(self, shape, dtype):
        places = ops.arange(self.vocabulary_size, dtype="int32")
        return ops.where(places < self.tuned_words, places, 1)

    def set_vectors(self, vectors, rows):
        """Fills the static channel and says which words are tuned.

        Args:
            vectors: float array `(vocabulary_size, static_dim)`.
            rows: int array `(vocabulary_size,)`, each word's row in the tuned
                channel, 1 where it has none.
        """
        self.static.assign(vectors)
        self.rows.assign(rows)

    def call(self, token_ids, training=None):
        token_ids = ops.cast(token_ids, "int32")  # floats when Keras tries a model
        rows = ops.take(self.rows, token_ids, axis=0)
        if training and self.channel_dropout:
            drawn = keras.random.uniform(ops.shape(rows), seed=self.seed_generator)
            rows = ops.where(
                ops.logical_and(drawn < self.channel_dropout, rows > 0), 1, rows
            )
        return ops.concatenate(
            [
                ops.take(self.static, token_ids, axis=0),
                ops.take(self.tuned, rows, axis=0),
            ],
            axis=-1,
        )

    def compute_output_spec(self, token_ids, training=None):
        width = self.static_dim + self.tuned_dim
        return keras.KerasTensor((*token_ids.shape, width), self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "vocabulary_size": self.vocabulary_size,
                "static_dim": self.static_dim,
                "tuned_dim": self.tuned_dim,
                "tuned_words": self.tuned_words,
                "channel_dropout": self.channel_dropout,
            }
        )
        return config


def make_word_embedding(
    vocabulary_size,
    embedding_dim,
    static_dim=0,
    tuned_words=None,
    channel_dropout=0.0,
    **kwargs,
):
    """Makes a word embedding, with static vectors beside it or without.

    Args:
        vocabulary_size, embedding_dim: int. Number of token ids, and width.
        static_dim: int. Width of the static vectors; 0 for a plain
            `keras.layers.Embedding`. Defaults to `0`.
        tuned_words, channel_dropout: see `TwoChannelEmbedding`.
        **kwargs: passed to the layer.

    Returns:
        layer from ids to `static_dim + embedding_dim` features.
    """
    if not static_dim:
        return keras.layers.Embedding(vocabulary_size, embedding_dim, **kwargs)
    return TwoChannelEmbedding(
        vocabulary_size,
        static_dim,
        embedding_dim,
        tuned_words,
        channel_dropout,
        **kwargs,
    )
