"""The rules for words: what the tokenizer keeps whole, and only that."""

import pytest

from keras_slu.data.words import check_word
from keras_slu.data.words import join_words
from keras_slu.errors import InputError
from keras_slu.text.tokenizer import Tokenizer


@pytest.mark.parametrize("character", "\t\xa0\u2028\u200b\u200d\xad.é听\u0301😀")
def test_a_word_passes_where_whitespace_mode_keeps_it_whole(character):
    word = f"a{character}b"
    if len(Tokenizer("whitespace").tokenize(word)) == 1:
        check_word(word)
    else:
        with pytest.raises(InputError, match=f"U[+]{ord(character):04X}"):
            check_word(word)


def test_an_empty_word_is_refused():
    with pytest.raises(InputError, match="exactly one space"):
        check_word("")


def test_joined_words_are_where_their_offsets_say():
    text, tokens = join_words(["😀", "e\u0301", "x"])
    assert text == "😀 e\u0301 x"
    assert [text[token.start : token.end] for token in tokens] == text.split(" ")
