"""From a text to what an exported LiteRT model takes. Needs no TensorFlow."""

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from keras_slu.parsing.marked_word import CLOSING
from keras_slu.parsing.marked_word import SIGNS
from keras_slu.text.encoder_pieces import EncoderPieces
from keras_slu.text.spoken_words import spoken_words
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.tokenizer import code_points
from keras_slu.text.vocabulary import Vocabulary


def encoder_of(contract, tokenizer=None, vocabulary=None):
    """What makes inputs of texts for a model with this contract.

    Args:
        contract: dict, with `input`.
        tokenizer: `Tokenizer`; not needed for `codepoints`.
        vocabulary: `Vocabulary`, or `EncoderPieces` or `Pieces` of a model that
            reads pieces; not needed for `codepoints`.

    Returns:
        A function from a text to `(inputs, more)`: a dict of int32 arrays
        `(1, n)`, by the names of the model's inputs, and a dict of what only the
        text side knows, parts of the answer.
    """
    _, size = contract["input"]["shape"]
    if contract["input"]["name"] == "codepoints":
        return lambda text: _code_points(text, size)
    if "pieces" not in contract:
        return lambda text: _words(text, tokenizer, vocabulary, size)
    if contract.get("task") == "punctuation":
        return lambda text: _spoken(text, tokenizer, vocabulary, contract)
    return lambda text: _pieces(text, tokenizer, vocabulary, contract)


def load_encoder(contract, archive):
    """The same from the archive in an exported file.

    Raises:
        InputError: when the pieces need keras-hub, and it is missing.
    """
    if contract["input"]["name"] == "codepoints":
        return encoder_of(contract)
    with TemporaryDirectory() as folder:
        archive.extractall(folder)
        tokenizer = Tokenizer.load(Path(folder) / "tokenizer.npz")
        if "pieces" not in contract:
            vocabulary = Vocabulary.load(Path(folder) / "vocabulary.txt")
            return encoder_of(contract, tokenizer, vocabulary)
        pieces = _load_pieces(Path(folder) / "pieces")
        return encoder_of(contract, tokenizer, pieces)


def _load_pieces(folder):
    """What makes the pieces; other than word pieces need keras-hub's tokenizer."""
    pieces = EncoderPieces.load(folder)
    if pieces is None:
        from keras_slu.text.pieces import Pieces

        pieces = Pieces.load(folder)
    return pieces


def fixed(values, size, padding=0):
    """Values as int32 `(1, size)`, cut or padded."""
    row = np.full((1, size), padding, np.int32)
    values = values[:size]
    row[0, : len(values)] = values
    return row


def _code_points(text, size):
    # NUL pads; in a text it separates, as a space does.
    return {"codepoints": fixed(code_points(text.replace("\0", " ")), size)}, {}


def _words(text, tokenizer, vocabulary, size):
    tokens = tokenizer.tokenize(text)
    ids = vocabulary.ids(tokenizer.fold(token.text) for token in tokens)
    return {"token_ids": fixed(ids, size)}, _offsets(tokens)


def _pieces(text, tokenizer, pieces, contract):
    """The pieces of words that fit whole; of no words, those of an unknown one."""
    special, max_tokens = contract["pieces"], contract["max_tokens"]
    room = special["max_pieces"] - 2
    tokens = tokenizer.tokenize(text)
    words = [tokenizer.fold(token.text) for token in tokens[:max_tokens]]
    rows = [row[:room] for row in pieces.ids(words)]
    kept = int((np.cumsum([len(row) for row in rows]) <= room).sum())
    parts = [[special["start_id"]], *(rows[:kept] or [[special["unknown_id"]]])]
    starts = np.cumsum([len(part) for part in parts])
    ids = np.concatenate([*parts, [special["end_id"]]])
    inputs = {
        "token_ids": fixed(ids, special["max_pieces"], special["pad_id"]),
        "word_starts": fixed(starts[:-1], max_tokens, -1),
    }
    return inputs, {**_offsets(tokens[:kept]), "truncated": len(tokens) > kept}


def _spoken(text, tokenizer, pieces, contract):
    """The pieces of one window, and where the mark after each stands, if any."""
    found = spoken_words(text, tokenizer)
    spans = zip(found.starts, found.ends, strict=True)
    words = [text[start:end].rstrip(CLOSING) for start, end in spans]
    is_free = np.array([not word.endswith(tuple(SIGNS)) for word in words], bool)
    rows = pieces.ids(found.folded)
    ids = np.concatenate([np.zeros(0, np.int32), *rows])
    word = np.repeat(found.word, np.array([len(row) for row in rows], np.int32))
    is_last = np.append(word[1:], -1) != word
    ends = np.where(is_last & is_free[word], found.ends[word], -1)
    _, size = contract["input"]["shape"]
    row = fixed(ids, size, contract["pieces"]["pad_id"])
    return {"token_ids": row}, {"ends": fixed(ends, size, -1)[0]}


def _offsets(tokens):
    return {
        "starts": [token.start for token in tokens],
        "ends": [token.end for token in tokens],
    }
