"""The rules for character spans."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_slu.data.spans import in_order
from keras_slu.data.spans import join_pieces
from keras_slu.data.spans import locate_words
from keras_slu.data.spans import pieces_of
from keras_slu.data.utterance import SlotSpan
from keras_slu.errors import InputError


@given(
    st.lists(st.tuples(st.text("ab", min_size=1), st.sampled_from([None, "x", "y"])))
)
def test_pieces_come_back(pieces):
    text, slots = join_pieces(pieces, pytest.fail)
    assert join_pieces(pieces_of(text, slots), pytest.fail) == (text, slots)
    assert text == "".join([piece for piece, _ in pieces])
    assert [text[slot.start : slot.end] for slot in slots] == [
        piece for piece, name in pieces if name
    ]


def test_slots_are_sorted_and_may_touch():
    a, b = SlotSpan("a", 0, 2), SlotSpan("b", 2, 3)
    assert in_order([b, a]) == (a, b)
    with pytest.raises(InputError, match="'a' at 0:2 overlaps slot 'c' at 1:3"):
        in_order([SlotSpan("c", 1, 3), a])


@pytest.mark.parametrize(
    ("words", "text", "spans"),
    [
        (["a", "b"], "a b", [(0, 1), (2, 3)]),
        (["a", "b"], " \u3000ab\t", [(2, 3), (3, 4)]),
        (["A", "İ"], "a İ", [(0, 1), (2, 3)]),
        ([], "  ", []),
    ],
)
def test_words_are_found(words, text, spans):
    assert [(t.start, t.end) for t in locate_words(words, text)] == spans


@pytest.mark.parametrize(
    ("words", "text", "problem"),
    [
        (["b"], "a b", "'b' is not in the text at 0: 'a b'"),
        (["a", "a"], "a", "'a' is not in the text at 1: ''"),
        (["a"], "a b", "no word is given for the end of the text: 'b'"),
    ],
)
def test_words_that_are_not_those_of_the_text(words, text, problem):
    with pytest.raises(InputError) as caught:
        locate_words(words, text)
    assert problem in caught.value.problem
