"""Words as a pretrained encoder sees them."""

import keras
from keras import ops

from keras_slu.layers.two_directions import read_both_ways


@keras.saving.register_keras_serializable(package="keras_slu")
class PieceEmbedder(keras.layers.Layer):
    """Contextual features of words from an encoder of pieces.

    A word has the features of its first piece. They are gathered before
    anything else sees them, so that what comes after, a CRF say, has a prefix
    of real words.

    Args:
        encoder: layer with a `dim`, called with `(token_ids, padding_mask=,
            training=)`, such as `HubEncoder` and `ModelGardenEncoder`.
        dim: int or `None`. Width of the output, by one dense layer; `None` for
            the encoder's own. Defaults to `None`.
        keep_bilstm: bool. Whether a BiLSTM reads the words' features, in place
            of the dense layer; `dim` must be even. Defaults to `False`.
        dropout: float. Rate, on the output. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        token_ids: int32 tensor `(batch, pieces)`.
        padding_mask: bool or int tensor `(batch, pieces)`, true at real pieces.
        word_starts: int32 tensor `(batch, words)`, the place of each word's
            first piece; -1 at padding.
        training: bool.
        return_text: bool. Whether to give the features of the piece before the
            text too, BERT's `[CLS]`; by the dense layer too where there is
            one. Defaults to `False`.

    Returns:
        float tensor `(batch, words, dim)`; zeros at padding. With
        `return_text`, `(words, text)`, the latter `(batch, dim)`, behind a
        BiLSTM `(batch, encoder.dim)`.

    Reference:
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), section 4.4
        - [Chen et al., 2019](https://arxiv.org/abs/1902.10909)
    """

    def __init__(self, encoder, dim=None, keep_bilstm=False, dropout=0.0, **kwargs):
        super().__init__(**kwargs)
        if keep_bilstm and (dim is None or dim % 2):
            raise ValueError(f"`dim` must be even with `keep_bilstm`. Received: {dim}")
        self.encoder = encoder
        self.keep_bilstm = keep_bilstm
        self.dim = dim or encoder.dim
        self.dropout = dropout
        self._has_own_dim = dim is not None
        settings = {"dtype": self.dtype_policy}
        self.projection = None
        if keep_bilstm:
            self.forward_lstm, self.backward_lstm = (
                keras.layers.LSTM(
                    dim // 2, return_sequences=True, name=name, **settings
                )
                for name in ("forward_lstm", "backward_lstm")
            )
        elif dim is not None:
            self.projection = keras.layers.Dense(dim, name="projection", **settings)
        self.drop_output = keras.layers.Dropout(dropout, **settings)

    def build(self, input_shape=None):
        features = (None, None, self.encoder.dim)
        if self.keep_bilstm:
            self.forward_lstm.build(features)
            self.backward_lstm.build(features)
        elif self.projection is not None:
            self.projection.build(features)

    def call(
        self,
        token_ids,
        padding_mask,
        word_starts,
        training=None,
        return_text=False,
    ):
        features = self.encoder(token_ids, padding_mask=padding_mask, training=training)
        is_word = word_starts >= 0  # (batch, words)
        places = ops.maximum(word_starts, 0)[..., None]
        words = ops.take_along_axis(features, places, axis=1)
        if self.keep_bilstm:
            words = read_both_ways(
                self.forward_lstm, self.backward_lstm, words, is_word
            )
        elif self.projection is not None:
            words = self.projection(words)
        words = ops.where(is_word[..., None], words, 0.0)
        words = self.drop_output(words, training=training)  # (batch, words, dim)
        if not return_text:
            return words
        text = features[:, 0]
        if self.projection is not None:
            text = self.projection(text)
        return words, self.drop_output(text, training=training)

    def compute_output_spec(
        self,
        token_ids,
        padding_mask,
        word_starts,
        training=None,
        return_text=False,
    ):
        words = keras.KerasTensor((*word_starts.shape, self.dim), self.compute_dtype)
        if not return_text:
            return words
        dim = self.encoder.dim if self.keep_bilstm else self.dim
        text = keras.KerasTensor((token_ids.shape[0], dim), self.compute_dtype)
        return words, text

    def get_config(self):
        return {
            **super().get_config(),
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "dim": self.dim if self._has_own_dim else None,
            "keep_bilstm": self.keep_bilstm,
            "dropout": self.dropout,
        }

    @classmethod
    def from_config(cls, config):
        encoder = keras.saving.deserialize_keras_object(config.pop("encoder"))
        return cls(encoder, **config)
