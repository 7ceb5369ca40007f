"""The input of a Transformer that reads a sentence: word rows and a sentence row."""

import keras
from keras import ops

from keras_slu.layers.tokenwise import tokenwise
from keras_slu.layers.two_channel_embedding import make_word_embedding

SENTENCE = -1  # the id of a row that stands for its sentence, as BERT's CLS


@keras.saving.register_keras_serializable(package="keras_slu")
class SentenceEmbedder(keras.layers.Layer):
    """Embeds rows of ids, words and sentences, in one width.

    A word has its embedding, and a dense layer where that has another width
    than the features. A sentence row has a learned vector, the same one for
    every sentence.

    Args:
        vocabulary_size: int. Number of token ids, padding (0) and unknown (1)
            included.
        embedding_dim: int. Width of the word embedding.
        dim: int. Width of the output.
        trainable_embedding: bool. Whether training moves the word embedding.
            Defaults to `True`.
        static_dim: int. Width of pretrained vectors beside the word embedding,
            see `TwoChannelEmbedding`; 0 for none. Defaults to `0`.
        tuned_words: int. With a static channel, the rows of the other.
        channel_dropout: float. With a static channel, the dropout of the
            other. Defaults to `0.0`.
        dropout: float. Rate on the output. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        ids: int tensor `(batch, rows)`: token ids, 0 at padding, or -1
            (`SENTENCE`) where a row stands for a sentence.
        training: bool.

    Returns:
        float tensor `(batch, rows, dim)`. Padding holds anything finite.

    Example:

    >>> import numpy as np
    >>> embedder = SentenceEmbedder(100, embedding_dim=8, dim=16)
    >>> embedder(np.array([[-1, 4, 7, 2, 0]])).shape
    TensorShape([1, 5, 16])
    """

    def __init__(
        self,
        vocabulary_size,
        embedding_dim,
        dim,
        trainable_embedding=True,
        static_dim=0,
        tuned_words=None,
        channel_dropout=0.0,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.vocabulary_size = vocabulary_size
        self.embedding_dim = embedding_dim
        self.dim = dim
        self.trainable_embedding = trainable_embedding
        self.static_dim = static_dim
        self.tuned_words = tuned_words
        self.channel_dropout = channel_dropout
        self.dropout = dropout
        settings = {"dtype": self.dtype_policy}
        self.embedding = make_word_embedding(
            vocabulary_size,
            embedding_dim,
            static_dim,
            tuned_words,
            channel_dropout,
            trainable=trainable_embedding,
            name="embedding",
            **settings,
        )
        self.projection = None
        if static_dim + embedding_dim != dim:
            self.projection = keras.layers.Dense(dim, name="projection", **settings)
        self.drop = keras.layers.Dropout(dropout, **settings)

    def build(self, input_shape):
        self.embedding.build(input_shape)
        if self.projection is not None:
            width = self.static_dim + self.embedding_dim
            self.projection.build((*input_shape, width))
        self.sentence = self.add_weight(
            shape=(self.dim,), initializer="uniform", name="sentence"
        )

    def call(self, ids, training=None):
        ids = ops.cast(ids, "int32")  # floats when Keras tries a model
        hidden = self.embedding(ops.maximum(ids, 0), training=training)
        if self.projection is not None:
            hidden = tokenwise(self.projection, hidden)
        is_sentence = ops.equal(ids, SENTENCE)[..., None]
        hidden = ops.where(is_sentence, self.sentence, hidden)
        return self.drop(hidden, training=training)

    def compute_output_spec(self, ids, training=None):
        return keras.KerasTensor((*ids.shape, self.dim), self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "vocabulary_size": self.vocabulary_size,
                "embedding_dim": self.embedding_dim,
                "dim": self.dim,
                "trainable_embedding": self.trainable_embedding,
                "static_dim": self.static_dim,
                "tuned_words": self.tuned_words,
                "channel_dropout": self.channel_dropout,
                "dropout": self.dropout,
            }
        )
        return config
