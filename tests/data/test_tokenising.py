"""Raw text cut into words."""

import pytest

from keras_slu.data import read
from keras_slu.data.alignment import bio_tags
from keras_slu.data.tokenising import tokenised
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.data.utterance import Utterance
from keras_slu.text.tokenizer import Tokenizer


def test_words_are_cut_at_the_bounds_of_slots():
    slots = (SlotSpan("hour", 3, 4), SlotSpan("when", 8, 17))
    raw = Utterance("at 6pm, to-morrow.", (), slots, ("wake",), "a:3")
    cut = tokenised(raw, Tokenizer())
    assert cut.text == "at 6 pm , to - morrow ."
    assert cut.intents == ("wake",) and cut.origin == "a:3"
    values = [(slot.name, cut.text[slot.start : slot.end]) for slot in cut.slots]
    assert values == [("hour", "6"), ("when", "to - morrow")]
    bio_tags(cut, cut.tokens)  # raises if a slot cuts a token


def test_what_has_tokens_keeps_them():
    given = Utterance("a.b", (Token("a.b", 0, 3),))
    assert tokenised(given, Tokenizer()) is given


@pytest.mark.parametrize("name", ["snips_native", "nlupp/banking_fold0.json"])
def test_real_slots_keep_their_words(shared_data, name):
    tokenizer = Tokenizer()
    for raw in read(shared_data(f"formats/{name}")):
        cut = tokenised(raw, tokenizer)
        bare = [
            [
                (slot.name, "".join(u.text[slot.start : slot.end].split()))
                for slot in u.slots
            ]
            for u in (raw, cut)
        ]
        assert bare[0] == bare[1]
