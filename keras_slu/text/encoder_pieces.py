"""The word pieces of a pretrained encoder, made without TensorFlow."""

import json
from functools import cache
from pathlib import Path
from unicodedata import category
from unicodedata import normalize

import numpy as np

from keras_slu.text.folded_words import case_fold
from keras_slu.text.folded_words import is_single
from keras_slu.text.folded_words import without_marks
from keras_slu.text.word_pieces import longest_pieces

CONFIG = "pieces.json"


class EncoderPieces:
    """Splits words into word pieces as `Pieces` does with keras-hub's tokenizer.

    keras-hub folds what stands between spaces and punctuation after it has
    split the text, and `WordPieces` before: what folds to punctuation, as an
    ellipsis does, or to other characters together than one by one, as Hangul
    does, has other pieces there. An encoder must get those that it learned.

    Args:
        vocabulary: list of str, by id.
        lowercase: bool. Whether letters lose case and width (NFKC case folding).
        strip_accents: bool. Whether they lose accents.
        unknown: str. The piece of words that have none.

    Example:

    >>> pieces = EncoderPieces(["[UNK]", "play", "##ing", "..."], True, True, "[UNK]")
    >>> [row.tolist() for row in pieces.ids(["Playing", "…", "?"])]
    [[1, 2], [3], [0]]
    """

    def __init__(self, vocabulary, lowercase, strip_accents, unknown):
        self._ids = {piece: place for place, piece in enumerate(vocabulary)}
        self._unknown_id = self._ids[unknown]
        self._lowercase = lowercase
        self._strip_accents = strip_accents
        self._pieces_of = cache(self._find_pieces)

    def ids(self, words):
        """The pieces of words, each for itself.

        Args:
            words: iterable of str.

        Returns:
            list of int32 arrays, none empty.
        """
        return [self._pieces_of(word) for word in words]

    def _find_pieces(self, word):
        found = []
        word = word.encode("utf-8", "replace").decode()  # lone surrogates
        for part in self._parts(word):
            pieces = longest_pieces(part, self._ids)
            found += [id_ for id_, _, _ in pieces] or [self._unknown_id]
        return np.array(found or [self._unknown_id], np.int32)

    def _parts(self, word):
        """What a word is split into before its pieces are looked up."""
        if self._strip_accents:
            word = without_marks(word)
        # Other spaces, such as U+00A0, are parts of words here.
        parts = "".join(map(_with_spaces, word)).split(" ")
        if self._lowercase:
            parts = [normalize("NFC", "".join(map(case_fold, part))) for part in parts]
        return filter(None, parts)

    @classmethod
    def load(cls, folder):
        """Reads what `Pieces.save` wrote; `None` for other than word pieces."""
        folder = Path(folder)
        content = (folder / CONFIG).read_text(encoding="utf-8")
        settings = json.loads(content)["config"]
        if not _makes_word_pieces(settings):
            return None
        with open(folder / "vocabulary.txt", encoding="utf-8") as lines:
            vocabulary = [line.rstrip() for line in lines]
        return cls(
            vocabulary,
            settings["lowercase"],
            settings["strip_accents"],
            settings["oov_token"],
        )


def _makes_word_pieces(settings):
    """Whether a keras-hub tokenizer of these settings does what is done here."""
    return (
        settings.get("suffix_indicator") == "##"
        and settings["split"]
        and not settings["special_tokens_in_strings"]
    )


@cache
def _with_spaces(character):
    """A space for what separates words; spaces around what is one of its own."""
    if category(character) in ("Cc", "Cf"):
        return " "
    return f" {character} " if is_single(character) else character
