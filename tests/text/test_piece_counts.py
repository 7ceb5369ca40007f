"""A vocabulary of pieces has what its texts need most."""

import pytest

from keras_slu.data import read
from keras_slu.errors import InputError
from keras_slu.text.piece_counts import make_piece_vocabulary
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces


def test_all_words_of_the_texts_can_be_spelled():
    texts = ["Playing, played; walking", "听歌 听 Ünder"]
    pieces = WordPieces(make_piece_vocabulary(texts, 1000))
    for text in texts:
        assert pieces.unknown_id not in pieces.split(text).ids
    assert pieces.vocabulary[:5] == list(SPECIAL)
    # What is no word of its own is spelled by an ending.
    small = make_piece_vocabulary(texts * 2 + ["playing"] * 9, 27, min_count=2)
    assert small[-1] == "playing" and "##ing" in small and "##er" not in small


def test_rare_characters_are_left_out():
    vocabulary = make_piece_vocabulary(["aa b c"] * 3 + ["d"], 1000, min_count=2)
    assert "##a" in vocabulary and "d" not in vocabulary


def test_no_room_for_the_characters():
    with pytest.raises(InputError, match="no room for the 3 characters"):
        make_piece_vocabulary(["a b c"], 7)


def test_snips_has_few_unknown_words(shared_data):
    train, test = (
        [utterance.text for utterance in read(shared_data(f"snips/{split}"))]
        for split in ("train", "test")
    )
    pieces = WordPieces(make_piece_vocabulary(train, 3000, min_count=2))
    ids = [id_ for text in test for id_ in pieces.split(text).ids]
    words = sum(len(text.split()) for text in test)
    assert ids.count(pieces.unknown_id) < 0.001 * words
    assert len(ids) < 1.5 * words
