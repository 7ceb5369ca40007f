"""Packed pieces, against the slow and obvious way."""

import numpy as np
import pytest

pytest.importorskip("keras_hub")
import tiny_encoders  # noqa: E402

from keras_slu.data.encoding import pad_rows  # noqa: E402
from keras_slu.text.piece_vocabulary import FIRST_PIECE  # noqa: E402
from keras_slu.text.piece_vocabulary import PieceVocabulary  # noqa: E402

WORDS = ["play", "unbelievably", "abc", "Ábc", "🎵", "song's", "\u0301", "j" * 20]


@pytest.fixture(scope="module")
def pieces():
    return tiny_encoders.make_pieces()


def slowly(pieces, words):
    """One piece after the other."""
    ids, starts = [pieces.start_id], []
    for word in words:
        starts.append(len(ids))
        for piece in pieces.ids([word])[0]:
            ids.append(int(piece))
    return [*ids, pieces.end_id], starts


def test_rows_are_packed_as_the_slow_way_does(pieces):
    rng = np.random.default_rng(0)
    rows = [
        [WORDS[place] for place in rng.integers(len(WORDS), size=rng.integers(1, 9))]
        for _ in range(50)
    ]
    vocabulary = PieceVocabulary(pieces, 1000)
    packed = vocabulary.pack(pad_rows([vocabulary.ids(words) for words in rows], 0))
    for place, words in enumerate(rows):
        ids, starts = slowly(pieces, words)
        mask = packed["padding_mask"][place]
        assert packed["token_ids"][place][mask].tolist() == ids
        assert not packed["token_ids"][place][~mask].any()
        found = packed["word_starts"][place]
        assert found[: len(words)].tolist() == starts
        assert (found[len(words) :] == -1).all()


def test_a_word_keeps_its_id_and_no_words_are_one_unknown(pieces):
    vocabulary = PieceVocabulary(pieces, 1000)
    first = vocabulary.ids(["play", "abc", "play"])
    assert first.tolist() == [2, 3, 2]
    assert vocabulary.ids(["zzz", "abc"]).tolist() == [4, 3]
    assert len(vocabulary) == 5
    packed = vocabulary.pack(np.array([[1]]))
    expected = [pieces.start_id, pieces.unknown_id, pieces.end_id]
    assert packed["token_ids"].tolist() == [expected]


def test_a_dropped_word_becomes_the_unknown_one(pieces):
    vocabulary = PieceVocabulary(pieces, 1000)
    ids = vocabulary.ids(["play", "abc"])
    assert vocabulary.unknown_ids().tolist() == [0, 1, 1, 1]
    assert (vocabulary.unknown_ids()[ids] == 1).all()


def test_whole_words_fit_or_not(pieces):
    words = ["play", "unbelievably", "play"]  # 1, 3 and 1 pieces, and 2 around
    for room, fitting in ((3, 1), (5, 1), (6, 2), (7, 3), (99, 3)):
        assert PieceVocabulary(pieces, room).fitting(words) == fitting


def test_words_are_split_for_windows(pieces):
    vocabulary = PieceVocabulary(pieces, 8)
    ids, counts = vocabulary.split(WORDS)
    rows = [pieces.ids([word])[0] for word in WORDS]
    assert counts.tolist() == [len(row) for row in rows]
    assert (ids - FIRST_PIECE).tolist() == np.concatenate(rows).tolist()
    assert ids.min() > 0
    ids, counts = vocabulary.split([])
    assert (ids.tolist(), counts.tolist()) == ([], [])
