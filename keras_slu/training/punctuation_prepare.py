"""From a punctuation recipe to what `fit` needs: data, vocabulary, model."""

from dataclasses import dataclass

import numpy as np

from keras_slu.data.marked_words import NO_MARK
from keras_slu.data.marked_words import MarkedWords
from keras_slu.data.punctuated_text import read_punctuation
from keras_slu.data.utterance import Token
from keras_slu.data.utterance import Utterance
from keras_slu.layers import CausalEmbedder
from keras_slu.layers import SelfAttentiveEmbedder
from keras_slu.models import FFA
from keras_slu.models import PunctuationTagger
from keras_slu.text.spoken_words import spoken_words
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary
from keras_slu.training.prepare import add_tuned_rows
from keras_slu.training.prepare import make_optimizer
from keras_slu.training.prepare import make_vocabulary
from keras_slu.training.prepare import resolve

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
        tokenizer, vocabulary, vectors: as in `Prepared`.
    """

    words: dict[str, MarkedWords]
    pieces: dict[str, MarkedPieces]
    marks: list[str]
    tokenizer: Tokenizer
    vocabulary: Vocabulary
    vectors: np.ndarray | None


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
    tokenizer = Tokenizer(lowercase=recipe.text.lowercase)
    found = {
        split: spoken_words(" ".join(of_split.words), tokenizer)
        for split, of_split in words.items()
    }
    pieces = tuple(Token(piece, 0, 0) for piece in found["train"].folded)
    vocabulary, vectors = make_vocabulary(
        recipe, folder, [Utterance("", pieces)], tokenizer
    )
    marks = [NO_MARK, *recipe.marks]
    encoded = {
        split: encode_marked(words[split], found[split], vocabulary, marks)
        for split in words
    }
    return PreparedPunctuation(words, encoded, marks, tokenizer, vocabulary, vectors)


def encode_marked(words, pieces, vocabulary, marks):
    """Encodes marked words by their pieces, `MarkedPieces`.

    The mark after a word without pieces goes to the word before.
    """
    classes = {mark: place for place, mark in enumerate(marks)}
    labels = np.full(len(pieces.folded), -1, np.int32)
    labels[pieces.is_last] = 0
    last_piece = np.cumsum(np.bincount(pieces.word, minlength=len(words))) - 1
    for place, mark in zip(last_piece.tolist(), words.marks, strict=True):
        if mark != NO_MARK and place >= 0:
            labels[place] = classes[mark]
    return MarkedPieces(vocabulary.ids(pieces.folded), labels)


def build_model(recipe, prepared):
    """Makes the recipe's model, with its embedding and its optimizer."""
    settings = recipe.model.model_dump(exclude={"type"})
    encoder = {name: settings.pop(name) for name in ENCODER_SETTINGS}
    kind = ENCODERS[settings.pop("encoder")]
    rows = add_tuned_rows([0, 1], prepared.vocabulary.counts)
    if recipe.has_static_vectors:
        encoder["static_dim"] = prepared.vectors.shape[1]
        encoder["tuned_words"] = int(rows.max()) + 1
    precision = recipe.training.precision
    encoder = kind(
        len(prepared.vocabulary),
        dropout=settings.pop("encoder_dropout"),
        dtype=precision,
        **encoder,
    )
    model = MODELS[recipe.model.type](
        encoder, prepared.marks, window=recipe.window, dtype=precision, **settings
    )
    model.tokenizer = prepared.tokenizer
    model.vocabulary = prepared.vocabulary
    if recipe.has_static_vectors:
        encoder.embedding.set_vectors(prepared.vectors, rows)
    elif prepared.vectors is not None:
        encoder.embedding.set_weights([prepared.vectors])
    return model


def compile_model(model, recipe, steps):
    """Compiles a model with the recipe's optimizer, fresh."""
    model.compile(optimizer=make_optimizer(recipe.training, steps), jit_compile=False)
