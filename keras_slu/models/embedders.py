"""What a joint model begins with: an embedder of words, or a pretrained encoder."""

import keras

from keras_slu.encoders.piece_embedder import PieceEmbedder
from keras_slu.layers.embedder import SelfAttentiveEmbedder


def make_embedder(
    encoder, keep_bilstm, vocabulary_size, embedding_dim, dim, **settings
):
    """Makes the encoder of a joint model.

    Args:
        encoder: a pretrained encoder (`HubEncoder`, `ModelGardenEncoder`), in
            place of embedding and BiLSTM; or `None`.
        keep_bilstm: bool. Whether the BiLSTM stays behind a pretrained encoder.
        vocabulary_size, embedding_dim, dim: int. See `SelfAttentiveEmbedder`;
            the first two mean nothing with a pretrained encoder.
        **settings: the other arguments of `SelfAttentiveEmbedder`. A
            pretrained encoder heeds `dropout` and `dtype`.

    Returns:
        `SelfAttentiveEmbedder` or `PieceEmbedder`.
    """
    if encoder is None:
        return SelfAttentiveEmbedder(vocabulary_size, embedding_dim, dim, **settings)
    kept = {name: settings[name] for name in ("dropout", "dtype")}
    return PieceEmbedder(encoder, dim, keep_bilstm=keep_bilstm, **kept)


def encoder_config(encoder, keep_bilstm):
    """The part of a model's config that is about a pretrained encoder."""
    if encoder is None:
        return {}
    return {
        "encoder": keras.saving.serialize_keras_object(encoder),
        "keep_bilstm": keep_bilstm,
    }
