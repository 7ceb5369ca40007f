"""What joint models begin with: embedders, encoders, a Transformer."""

import keras

from keras_slu.encoders.piece_embedder import PieceEmbedder
from keras_slu.layers.embedder import SelfAttentiveEmbedder
from keras_slu.layers.relative_encoder import RelativeEncoder
from keras_slu.layers.sentence_embedder import SentenceEmbedder


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


def encoder_config(encoder, **settings):
    """The part of a model's config that is about a pretrained encoder."""
    if encoder is None:
        return {}
    return {"encoder": keras.saving.serialize_keras_object(encoder), **settings}


def make_sentence_parts(encoder, settings, dtype):
    """Makes what reads a sentence row and word rows: an embedder and a Transformer.

    Args:
        encoder: a pretrained encoder in place of the embedding, or `None`.
        settings: dict of a model's arguments; `embedding_dropout` is the
            embedder's, `dropout` the Transformer's, `routing` may be missing.
        dtype: dtype policy.

    Returns:
        `SentenceEmbedder` or `PieceEmbedder`, and `RelativeEncoder`.
    """
    dim, dropout = settings["dim"], settings["embedding_dropout"]
    if encoder is not None:
        embedder = PieceEmbedder(encoder, dim, dropout=dropout, dtype=dtype)
    else:
        embedder = SentenceEmbedder(
            settings["vocabulary_size"],
            settings["embedding_dim"],
            dim,
            trainable_embedding=settings["trainable_embedding"],
            static_dim=settings["static_dim"],
            tuned_words=settings["tuned_words"],
            channel_dropout=settings["channel_dropout"],
            dropout=dropout,
            name="embedder",
            dtype=dtype,
        )
    transformer = RelativeEncoder(
        settings["dim"],
        settings["num_layers"],
        settings["num_heads"],
        settings["inner_dim"],
        settings["max_distance"],
        settings["dropout"],
        settings["attention_dropout"],
        settings.get("routing"),
        name="transformer",
        dtype=dtype,
    )
    return embedder, transformer
