"""The text side of a model in the files that are saved with it."""

from pathlib import Path

from keras_slu.text.piece_vocabulary import PieceVocabulary
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

TOKENIZER = "tokenizer.npz"
WORDS = "vocabulary.txt"
PIECES = "pieces"


def save_text_side(model, folder):
    """Writes what a model has of `tokenizer` and `vocabulary` into `folder`."""
    folder = Path(folder)
    if model.vocabulary is not None:
        model.vocabulary.save(folder / (PIECES if model.reads_pieces else WORDS))
    if model.tokenizer is not None:
        model.tokenizer.save(folder / TOKENIZER)


def load_text_side(model, folder, max_pieces):
    """Gives a model the `tokenizer` and `vocabulary` that `folder` has.

    Args:
        model: the model.
        folder: path.
        max_pieces: int, see `PieceVocabulary`; not read where there are no pieces.
    """
    folder = Path(folder)
    if (folder / WORDS).exists():
        model.vocabulary = Vocabulary.load(folder / WORDS)
    if (folder / PIECES).exists():
        model.vocabulary = PieceVocabulary.load(folder / PIECES, max_pieces)
    if (folder / TOKENIZER).exists():
        model.tokenizer = Tokenizer.load(folder / TOKENIZER)
