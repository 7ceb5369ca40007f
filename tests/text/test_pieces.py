"""Words and their pieces, in Python and in the graph."""

import pytest

pytest.importorskip("keras_hub")
import tensorflow as tf  # noqa: E402
import tiny_encoders  # noqa: E402

from keras_slu.text.pieces import Pieces  # noqa: E402

ODD = ["", " ", "\u200b", "\u0301", "\ud800", "🎵", "x" * 300, "abc", "ABC", "Ábc"]


@pytest.fixture(scope="module")
def pieces():
    return tiny_encoders.make_pieces()


def test_words_are_split(pieces):
    names = [
        [tiny_encoders.PIECES[i] for i in row]
        for row in pieces.ids(["play", "unbelievably", "abc", "Ábc", "song's", "zzz"])
    ]
    assert names == [
        ["play"],
        ["un", "##believ", "##ably"],
        ["a", "##b", "##c"],
        ["a", "##b", "##c"],
        ["song", "'", "s"],
        ["[UNK]"],
    ]


def test_every_word_has_a_piece_whatever_it_is(pieces):
    assert all(len(row) for row in pieces.ids(ODD))


def test_a_word_has_its_pieces_whatever_is_asked_beside_it(pieces):
    together = pieces.ids(["play", *ODD, "abc"])
    alone = [pieces.ids([word])[0] for word in ["play", *ODD, "abc"]]
    assert [row.tolist() for row in together] == [row.tolist() for row in alone]


def test_the_graph_gives_the_same(pieces):
    words = ["play", *(w for w in ODD if w.isprintable()), "unbelievably", "zzz"]
    expected = [row.tolist() for row in pieces.ids(words)]
    assert tf.function(pieces.in_graph)(tf.constant(words)).to_list() == expected


def test_they_are_saved_and_loaded(pieces, tmp_path):
    pieces.save(tmp_path / "pieces")
    again = Pieces.load(tmp_path / "pieces")
    words = ["unbelievably", "Ábc", "zzz"]
    assert [r.tolist() for r in again.ids(words)] == [
        r.tolist() for r in pieces.ids(words)
    ]
    for name in ("start_id", "end_id", "pad_id", "unknown_id"):
        assert getattr(again, name) == getattr(pieces, name)
