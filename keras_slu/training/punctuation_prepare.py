"""From a punctuation recipe to what `fit` needs: data, vocabulary, model."""

from dataclasses import dataclass

import keras
import numpy as np

from keras_slu.data.marked_words import NO_MARK
from keras_slu.data.marked_words import MarkedWords
from keras_slu.data.punctuated_text import read_punctuation
from keras_slu.data.utterance import Token
from keras_slu.data.utterance import Utterance
from keras_slu.encoders.window_encoder import WindowEncoder
from keras_slu.errors import InputError
from keras_slu.layers import CausalEmbedder
from keras_slu.layers import SelfAttentiveEmbedder
from keras_slu.models import FFA
from keras_slu.models import PunctuationTagger
from keras_slu.text.piece_vocabulary import PieceVocabulary
from keras_slu.text.spoken_words import spoken_words
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary
from keras_slu.training.encoder_settings import check_heads
from keras_slu.training.encoder_settings import rate_factors
from keras_slu.training.optimizer import make_optimizer
from keras_slu.training.paths import resolve
from keras_slu.training.vocabularies import add_tuned_rows
from keras_slu.training.vocabularies import make_vocabulary

ENCODERS = {"bilstm": SelfAttentiveEmbedder, "lstm": CausalEmbedder}
MODELS = {"ffa": FFA, "tagger": PunctuationTagger}
ENCODER_SETTINGS = ("embedding_dim", "dim", "embedding_dropout")


@dataclass(frozen=True)
class MarkedPieces:
    """A text as a punctuation model reads it.

    Args:
        ids: int32 `(pieces,)`.
        marks: int32 `(pieces,)`, the class of the mark after each piece, -1
            where it ends no word.
    """

    ids: np.ndarray
    marks: np.ndarray


@dataclass
class PreparedPunctuation:
    """A recipe's data, read and encoded.

    Args:
        words: dict of `MarkedWords` by split.
        pieces: dict of `MarkedPieces` by split.
        marks: list of str, the classes, `"O"` first.
        tokenizer, vocabulary, vectors, encoder: as in `Prepared`.
        masked_encoder: another pretrained encoder, or `None`.
    """

    words: dict[str, MarkedWords]
    pieces: dict[str, MarkedPieces]
    marks: list[str]
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    vectors: np.ndarray | None
    encoder: keras.layers.Layer | None
    masked_encoder: keras.layers.Layer | None


def prepare(recipe, folder):
    """Reads and encodes all that a recipe names.

    Args:
        recipe: `PunctuationRecipe`.
        folder: path that the recipe's paths are relative to.

    Returns:
        `PreparedPunctuation`.

    Raises:
        InputError: for faulty data, before anything is written.
    """
    words = {
        split: read_punctuation(resolve(path, folder), recipe.marks)
        for split, path in recipe.data.model_dump(exclude_none=True).items()
    }
    encoder, masked_encoder, pieces = _load_encoders(recipe, folder)
    # Pieces have a case folding of their own.
    tokenizer = Tokenizer(lowercase=recipe.text.lowercase and encoder is None)
    found = {
        split: spoken_words(" ".join(of_split.words), tokenizer)
        for split, of_split in words.items()
    }
    if encoder is not None:
        vocabulary, vectors = PieceVocabulary(pieces, recipe.window + 2), None
    else:
        tokens = tuple(Token(piece, 0, 0) for piece in found["train"].folded)
        vocabulary, vectors = make_vocabulary(
            recipe, folder, [Utterance("", tokens)], tokenizer
        )
    marks = [NO_MARK, *recipe.marks]
    encoded = {
        split: encode_marked(words[split], found[split], vocabulary, marks)
        for split in words
    }
    return PreparedPunctuation(
        words,
        encoded,
        marks,
        tokenizer,
        vocabulary,
        vectors,
        encoder,
        masked_encoder,
    )


def _load_encoders(recipe, folder):
    """The recipe's pretrained encoders and their `Pieces`, `None` for none."""
    if recipe.encoder is None:
        return None, None, None
    encoder, pieces = recipe.encoder.load(folder)
    _check_fit(recipe, encoder)
    if recipe.masked_encoder is None:
        return encoder, None, pieces
    masked_encoder, others = recipe.masked_encoder.load(folder)
    _check_fit(recipe, masked_encoder)
    first, second = (p.tokenizer.get_vocabulary() for p in (pieces, others))
    if first != second:
        raise InputError(
            f"`encoder` and `masked_encoder` have different vocabularies, of "
            f"{len(first)} and {len(second)} pieces",
            "Choose two that read the same pieces.",
        )
    return encoder, masked_encoder, pieces


def _check_fit(recipe, encoder):
    if recipe.window + 2 > encoder.max_pieces:
        raise InputError(
            f"the encoder reads {encoder.max_pieces} pieces, two of them its own, "
            f"and `window` is {recipe.window}",
            f"Set `window` to {encoder.max_pieces - 2} or less.",
        )
    model = recipe.model
    if model.type == "ffa" and "dim" not in model.model_fields_set:
        remedy = "Set one of `model.dim` and `model.num_heads`."
        check_heads(encoder, model.num_heads, remedy)


def encode_marked(words, found, vocabulary, marks):
    """Encodes marked words by their pieces.

    The mark after a word without pieces goes to the word before.

    Args:
        words: `MarkedWords`.
        found: `SpokenWords`, the same words.
        vocabulary: `Vocabulary` or `PieceVocabulary`.
        marks: list of str, the classes.

    Returns:
        `MarkedPieces`.
    """
    classes = {mark: place for place, mark in enumerate(marks)}
    ids, word = found.read(vocabulary)
    last_piece = np.cumsum(np.bincount(word, minlength=len(words))) - 1
    labels = np.full(len(ids), -1, np.int32)
    labels[last_piece[last_piece >= 0]] = 0
    for place, mark in zip(last_piece.tolist(), words.marks, strict=True):
        if mark != NO_MARK and place >= 0:
            labels[place] = classes[mark]
    return MarkedPieces(ids, labels)


def build_model(recipe, prepared):
    """Makes the recipe's model, with its embedding or its pretrained encoder."""
    own = {"type", "encoder", "encoder_dropout", *ENCODER_SETTINGS}
    settings = recipe.model.model_dump(exclude=own)
    if prepared.encoder is None:
        encoder = _make_embedder(recipe, prepared)
    else:
        encoder = _make_window_encoder(recipe, prepared, prepared.encoder)
    if prepared.masked_encoder is not None:
        masked = _make_window_encoder(recipe, prepared, prepared.masked_encoder)
        settings["masked_encoder"] = masked
    model = MODELS[recipe.model.type](
        encoder,
        prepared.marks,
        window=recipe.window,
        dtype=recipe.training.precision,
        **settings,
    )
    model.tokenizer = prepared.tokenizer
    model.vocabulary = prepared.vocabulary
    if recipe.has_static_vectors:
        encoder.embedding.set_vectors(prepared.vectors, _tuned_rows(prepared))
    elif prepared.vectors is not None:
        encoder.embedding.set_weights([prepared.vectors])
    return model


def _make_embedder(recipe, prepared):
    """An embedding, and what reads it."""
    settings = {name: getattr(recipe.model, name) for name in ENCODER_SETTINGS}
    if recipe.has_static_vectors:
        settings["static_dim"] = prepared.vectors.shape[1]
        settings["tuned_words"] = int(_tuned_rows(prepared).max()) + 1
    return ENCODERS[recipe.model.encoder](
        len(prepared.vocabulary),
        dropout=recipe.model.encoder_dropout,
        dtype=recipe.training.precision,
        **settings,
    )


def _tuned_rows(prepared):
    return add_tuned_rows([0, 1], prepared.vocabulary.counts)


def _make_window_encoder(recipe, prepared, encoder):
    pieces, model = prepared.vocabulary.pieces, recipe.model
    return WindowEncoder(
        encoder,
        start_id=pieces.start_id,
        end_id=pieces.end_id,
        pad_id=pieces.pad_id,
        dim=model.dim if "dim" in model.model_fields_set else None,
        dropout=model.encoder_dropout,
        dtype=recipe.training.precision,
    )


def compile_model(model, recipe, steps):
    """Compiles a model with the recipe's optimizer, fresh."""
    optimizer = make_optimizer(recipe.training, steps)
    for settings, encoder in (
        (recipe.encoder, model.encoder),
        (recipe.masked_encoder, getattr(model, "masked_encoder", None)),
    ):
        if settings is not None:
            factors = rate_factors(encoder.encoder, settings, recipe.training)
            optimizer.rate_factors |= factors
    model.compile(optimizer=optimizer, jit_compile=False)
