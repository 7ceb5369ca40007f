"""Sub-words of two languages."""

import pytest

from keras_slu.errors import InputError
from keras_slu.text.sentence_pieces import END
from keras_slu.text.sentence_pieces import UNKNOWN
from keras_slu.text.sentence_pieces import SentencePieces

pytest.importorskip("sentencepiece")
LINES = ["Zwei junge Männer schlafen.", "Two young men sleep.", "Ein Mann!"] * 3
TEXTS = [*LINES, "", "Männer sleep!", "Ein  Mann"]


def test_the_same_lines_make_the_same_pieces_that_give_text_back():
    pieces, again = (SentencePieces.train(LINES, 60) for _ in range(2))
    assert pieces.model == again.model
    assert len(pieces) == 60
    for text in TEXTS:
        ids = pieces.encode(text)
        assert UNKNOWN not in ids and min(ids, default=4) >= 4
        assert pieces.decode([*ids, END, 0, 0]) == " ".join(text.split())


def test_they_are_saved(tmp_path):
    pieces = SentencePieces.train(LINES, 60)
    pieces.save(tmp_path / "pieces.model")
    loaded = SentencePieces.load(tmp_path / "pieces.model")
    assert [loaded.encode(text) for text in TEXTS] == [
        pieces.encode(text) for text in TEXTS
    ]


def test_words_are_the_pieces_that_begin_one():
    words = SentencePieces.train(LINES, 60).words
    begun = {word[:size] for word in " ".join(LINES).split() for size in range(1, 9)}
    assert words and set(words) <= begun


@pytest.mark.parametrize("size", [6, 5000])
def test_a_size_that_does_not_fit_the_lines_is_refused(size):
    with pytest.raises(InputError, match=f"no vocabulary of {size} pieces"):
        SentencePieces.train(LINES, size)
