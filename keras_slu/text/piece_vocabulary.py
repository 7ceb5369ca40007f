"""What stands in a vocabulary's place for an encoder of pieces."""

import numpy as np

from keras_slu.text.pieces import Pieces
from keras_slu.text.vocabulary import PADDING
from keras_slu.text.vocabulary import UNKNOWN

FIRST_PIECE = 1  # the id, in a window, of the piece 0: padding is 0 there


class PieceVocabulary:
    """Gives ids to words as they come, and packs the pieces of words by them.

    All that handles words by their ids (batches, the exchange of slots) goes
    on doing so; the model is given the pieces. The ids mean nothing outside of
    this object and are not saved; every word has one, and none is unknown but
    the word that stands for no words.

    Args:
        pieces: `Pieces`.
        max_pieces: int. Longest row that the encoder reads, with what stands
            before and after the text.

    Attributes:
        counts: int64 array, how often the training data hold each id, or
            `None`.

    Example:

    >>> vocabulary = PieceVocabulary(pieces, max_pieces=512)  # doctest: +SKIP
    >>> vocabulary.pack(vocabulary.ids(["unbelievably", "good"])[None])
    ... # doctest: +SKIP
    """

    def __init__(self, pieces, max_pieces):
        self.pieces = pieces
        self.max_pieces = max_pieces
        self.counts = None
        unknown = np.array([pieces.unknown_id], np.int32)
        self._ids = {}
        self._pieces = [np.array([], np.int32), unknown]  # of each id

    def __len__(self):
        return len(self._pieces)

    @property
    def words(self):
        """The words that are one piece, a list of str."""
        names = self.pieces.tokenizer.get_vocabulary()
        return [name for name in names if name.isalpha()]

    def ids(self, words):
        """The ids of words, int32 `(n,)`; new words get new ones."""
        words = list(words)
        new = [word for word in dict.fromkeys(words) if word not in self._ids]
        for word, row in zip(new, self.pieces.ids(new), strict=True):
            self._ids[word] = len(self._pieces)
            self._pieces.append(row[: self.max_pieces - 2])
        return np.array([self._ids[word] for word in words], np.int32)

    def knows(self, word):
        """Whether a word has pieces, which every word has."""
        return True

    def unknown_ids(self):
        """What each id would be if its word were not known: the unknown one's."""
        ids = np.full(len(self), UNKNOWN, np.int32)
        ids[PADDING] = PADDING
        return ids

    def fitting(self, words):
        """How many of the words, from the first on, a row has room for."""
        lengths = [len(self._pieces[id_]) for id_ in self.ids(words)]
        return int((np.cumsum(lengths) <= self.max_pieces - 2).sum())

    def split(self, words):
        """The pieces of words, as a window of a text holds them.

        Args:
            words: list of str.

        Returns:
            `(ids, counts)`: int32 `(pieces,)`, `FIRST_PIECE` more than the
            encoder's, and int32 `(words,)`, how many each word has.
        """
        rows = self.pieces.ids(words)
        ids = np.concatenate([np.zeros(0, np.int32), *rows]) + FIRST_PIECE
        return ids.astype(np.int32), np.array([len(row) for row in rows], np.int32)

    def pack(self, token_ids):
        """Packs rows of words that fit as the model reads them.

        Args:
            token_ids: int array `(rows, words)`, 0 at padding, no row empty.

        Returns:
            dict of arrays: `token_ids` int32 `(rows, pieces)`; `padding_mask`
            bool, as large; `word_starts` int32 `(rows, words)`, the place of
            each word's first piece, -1 at padding.
        """
        rows = [self._packed(row[row != PADDING]) for row in np.asarray(token_ids)]
        lengths = np.array([len(row) for row, _ in rows])
        packed = np.full((len(rows), lengths.max()), self.pieces.pad_id, np.int32)
        starts = np.full(np.shape(token_ids), -1, np.int32)
        for place, (row, row_starts) in enumerate(rows):
            packed[place, : len(row)] = row
            starts[place, : len(row_starts)] = row_starts
        return {
            "token_ids": packed,
            "padding_mask": np.arange(packed.shape[1])[None] < lengths[:, None],
            "word_starts": starts,
        }

    def _packed(self, words):
        """The pieces of one row, and where each word's first one is."""
        parts = [[self.pieces.start_id], *(self._pieces[id_] for id_ in words)]
        ends = np.cumsum([len(part) for part in parts])
        return np.concatenate([*parts, [self.pieces.end_id]]), ends[:-1]

    def save(self, folder):
        """Writes the tokenizer of the pieces into `folder`."""
        self.pieces.save(folder)

    @classmethod
    def load(cls, folder, max_pieces):
        """Reads what `save` wrote."""
        return cls(Pieces.load(folder), max_pieces)
