"""HAN's embedder: word embedding, BiLSTM, and self-attention as an option."""

import keras
from keras import ops

from keras_slu.layers.first_order_attention import FirstOrderAttention
from keras_slu.layers.masks import reverse_rows
from keras_slu.layers.two_channel_embedding import make_word_embedding
from keras_slu.layers.two_directions import read_both_ways


@keras.saving.register_keras_serializable(package="keras_slu")
class SelfAttentiveEmbedder(keras.layers.Layer):
    """Turns token ids into contextual features.

    Args:
        vocabulary_size: int. Number of token ids, padding (0) and unknown (1)
            included.
        embedding_dim: int. Width of the word embedding.
        dim: int. Width of the output, an even number: each direction of the
            LSTM has half of it.
        trainable_embedding: bool. Whether training moves the word embedding.
            Defaults to `True`.
        static_dim: int. Width of pretrained vectors beside the word embedding,
            see `TwoChannelEmbedding`; 0 for none. Defaults to `0`.
        tuned_words: int. With a static channel, the rows of the other.
        channel_dropout: float. With a static channel, the dropout of the
            other. Defaults to `0.0`.
        self_attention: bool. Whether to join self-attention of the embedding
            to the BiLSTM's output, as Qin et al. (2019) do. HAN's text does
            not. Defaults to `False`.
        embedding_dropout: float. Rate, on the embedding's features. Defaults
            to `0.0`.
        dropout: float. Rate, on the output. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        token_ids: int tensor `(batch, time)`, 0 at padding, right-padded.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` for `token_ids != 0`.

    Returns:
        float tensor `(batch, time, dim)`; zeros at padding, unless `self_attention`.

    Example:

    >>> import numpy as np
    >>> embedder = SelfAttentiveEmbedder(100, embedding_dim=8, dim=16)
    >>> embedder(np.array([[4, 7, 2, 0, 0]])).shape
    TensorShape([1, 5, 16])

    Reference:
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), section 2.2
        - [Qin et al., 2019](https://arxiv.org/abs/1909.02188), section 3.1
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
        self_attention=False,
        embedding_dropout=0.0,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if dim % 2:
            raise ValueError(f"`dim` must be even. Received: {dim}")
        self.vocabulary_size = vocabulary_size
        self.embedding_dim = embedding_dim
        self.dim = dim
        self.trainable_embedding = trainable_embedding
        self.static_dim = static_dim
        self.tuned_words = tuned_words
        self.channel_dropout = channel_dropout
        self.self_attention = self_attention
        self.embedding_dropout = embedding_dropout
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
        self.drop_embedding = keras.layers.Dropout(embedding_dropout, **settings)
        # Not `Bidirectional` with a mask: reversing each row within its own
        # length needs no masks inside the loops, which are what costs.
        self.forward_lstm, self.backward_lstm = (
            keras.layers.LSTM(dim // 2, return_sequences=True, name=name, **settings)
            for name in ("forward_lstm", "backward_lstm")
        )
        self.drop_output = keras.layers.Dropout(dropout, **settings)
        if self_attention:
            self.attention = FirstOrderAttention(dim, num_heads=1, **settings)
            self.join = keras.layers.Dense(dim, name="join", **settings)

    def build(self, input_shape):
        self.embedding.build(input_shape)
        embedded = (*input_shape, self.static_dim + self.embedding_dim)
        self.forward_lstm.build(embedded)
        self.backward_lstm.build(embedded)
        if self.self_attention:
            self.attention.build(embedded, embedded, embedded)
            self.join.build((*input_shape, 2 * self.dim))

    def call(self, token_ids, padding_mask=None, training=None):
        if padding_mask is None:
            padding_mask = token_ids != 0
        embedded = self.embedding(token_ids, training=training)
        embedded = self.drop_embedding(embedded, training=training)
        if training:
            forward = self.forward_lstm(embedded, training=True)
            backward = self.backward_lstm(
                reverse_rows(embedded, padding_mask), training=True
            )
            backward = reverse_rows(backward, padding_mask)
            hidden = ops.concatenate([forward, backward], axis=-1)
        else:
            hidden = read_both_ways(
                self.forward_lstm, self.backward_lstm, embedded, padding_mask
            )
        hidden = ops.where(padding_mask[..., None], hidden, 0.0)
        if self.self_attention:
            attended = self.attention(
                embedded, embedded, embedded, padding_mask=padding_mask
            )
            hidden = self.join(ops.concatenate([hidden, attended], axis=-1))
        return self.drop_output(hidden, training=training)  # (batch, time, dim)

    def compute_output_spec(self, token_ids, padding_mask=None, training=None):
        return keras.KerasTensor((*token_ids.shape, self.dim), self.compute_dtype)

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
                "self_attention": self.self_attention,
                "embedding_dropout": self.embedding_dropout,
                "dropout": self.dropout,
            }
        )
        return config
