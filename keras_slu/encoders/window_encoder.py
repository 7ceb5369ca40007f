"""Windows of a text as a pretrained encoder sees them."""

import keras
from keras import ops

from keras_slu.text.piece_vocabulary import FIRST_PIECE


@keras.saving.register_keras_serializable(package="keras_slu")
class WindowEncoder(keras.layers.Layer):
    """Contextual features of each piece of a window, from a pretrained encoder.

    The encoder gets the window between the two pieces that it knows texts to
    stand between, whose features are dropped again.

    Args:
        encoder: layer with a `dim`, called with `(token_ids, padding_mask=,
            training=)`, such as `HubEncoder` and `ModelGardenEncoder`.
        start_id, end_id, pad_id: int. The encoder's ids of what stands before
            and after a text and at padding, as `Pieces` has them.
        dim: int or `None`. Width of the output, by one dense layer; `None` for
            the encoder's own. Defaults to `None`.
        dropout: float. Rate, on the output. Defaults to `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        token_ids: int32 tensor `(batch, time)`, as `PieceVocabulary.split` gives
            them: 0 at padding, on the right.
        padding_mask: bool tensor `(batch, time)`, true at real pieces.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`, without meaning at padding.

    Example:

    >>> encoder = load_hub_encoder("bert_tiny_en_uncased")  # doctest: +SKIP
    >>> layer = WindowEncoder(encoder, start_id=101, end_id=102, pad_id=0)
    ... # doctest: +SKIP
    >>> model = FFA(layer, marks=["O", "COMMA", "PERIOD"])  # doctest: +SKIP

    Reference:
        - [Wu et al., 2022](https://arxiv.org/abs/2203.12487), section 3
    """

    def __init__(
        self, encoder, start_id, end_id, pad_id, dim=None, dropout=0.0, **kwargs
    ):
        super().__init__(**kwargs)
        self.encoder = encoder
        self.start_id = start_id
        self.end_id = end_id
        self.pad_id = pad_id
        self.dim = dim or encoder.dim
        self.dropout = dropout
        dtype = self.dtype_policy
        self.projection = None
        if dim is not None:
            self.projection = keras.layers.Dense(dim, dtype=dtype, name="projection")
        self.drop_output = keras.layers.Dropout(dropout, dtype=dtype)

    def build(self, input_shape=None):
        if self.projection is not None:
            self.projection.build((None, None, self.encoder.dim))

    def call(self, token_ids, padding_mask, training=None):
        pieces = ops.where(padding_mask, token_ids - FIRST_PIECE, self.pad_id)
        pieces = ops.pad(pieces, [[0, 0], [1, 1]], constant_values=self.pad_id)
        place = ops.cumsum(ops.ones_like(pieces), axis=1) - 1  # (batch, time + 2)
        last = ops.sum(ops.cast(padding_mask, "int32"), axis=1, keepdims=True) + 1
        pieces = ops.where(place == 0, self.start_id, pieces)
        pieces = ops.where(place == last, self.end_id, pieces)
        features = self.encoder(pieces, padding_mask=place <= last, training=training)
        features = features[:, 1:-1]  # (batch, time, encoder.dim)
        if self.projection is not None:
            features = self.projection(features)
        return self.drop_output(features, training=training)

    def compute_output_spec(self, token_ids, padding_mask, training=None):
        return keras.KerasTensor((*token_ids.shape, self.dim), self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "encoder": keras.saving.serialize_keras_object(self.encoder),
            "start_id": self.start_id,
            "end_id": self.end_id,
            "pad_id": self.pad_id,
            "dim": None if self.projection is None else self.dim,
            "dropout": self.dropout,
        }

    @classmethod
    def from_config(cls, config):
        encoder = keras.saving.deserialize_keras_object(config.pop("encoder"))
        return cls(encoder, **config)
