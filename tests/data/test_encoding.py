"""Utterances as arrays of ids, and the labels that a model knows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_slu.data.alignment import bio_tags
from keras_slu.data.alignment import slot_spans
from keras_slu.data.encoding import LabelSet
from keras_slu.data.encoding import encode
from keras_slu.data.encoding import encode_words
from keras_slu.data.encoding import intent_set
from keras_slu.data.encoding import pad_rows
from keras_slu.data.encoding import tokens_of
from keras_slu.data.encoding import training_labels
from keras_slu.data.tags import chunks
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.errors import InputError
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import UNKNOWN
from keras_slu.text.vocabulary import Vocabulary

TOKENIZER = Tokenizer()
VOCABULARY = Vocabulary(["play", "hey", "jude"])  # ids 2, 3, 4
LABELS = LabelSet(["play", "play#stop"], ["O", "B-song", "I-song"])
SONG = Utterance("Play hey Jude", slots=(SlotSpan("song", 5, 13),), intents=("play",))


def encode_all(*utterances, max_tokens=128):
    return encode(utterances, TOKENIZER, VOCABULARY, LABELS, max_tokens)


def test_words_tags_and_intent_become_ids():
    examples = encode_all(SONG, Utterance("hey, you", intents=("play",)))
    np.testing.assert_array_equal(
        examples.token_ids, [[2, 3, 4], [3, UNKNOWN, UNKNOWN]]
    )
    np.testing.assert_array_equal(examples.slots, [[0, 1, 2], [0, 0, 0]])
    np.testing.assert_array_equal(examples.intent, [0, 0])
    np.testing.assert_array_equal(examples.lengths, [3, 3])
    np.testing.assert_array_equal(examples.truncated, [False, False])
    assert len(examples) == 2
    for array in (
        examples.token_ids,
        examples.slots,
        examples.intent,
        examples.lengths,
    ):
        assert array.dtype == np.int32


def test_shorter_rows_are_padded_on_the_right():
    examples = encode_all(SONG, Utterance("hey"))
    np.testing.assert_array_equal(examples.token_ids[1], [3, 0, 0])
    np.testing.assert_array_equal(examples.slots[1], [0, -1, -1])


def test_labels_that_training_lacks_are_minus_one():
    unseen = Utterance("hey jude", slots=(SlotSpan("who", 4, 8),), intents=("sing",))
    examples = encode_all(unseen)
    np.testing.assert_array_equal(examples.slots, [[0, -1]])
    np.testing.assert_array_equal(examples.intent, [-1])


def test_a_part_of_a_seen_set_of_intents_is_unseen():
    assert encode_all(Utterance("hey", intents=("stop",))).intent[0] == -1


def test_the_order_of_intents_does_not_matter():
    forth = Utterance("hey", intents=("play", "stop"))
    back = Utterance("hey", intents=("stop", "play"))
    np.testing.assert_array_equal(encode_all(forth, back).intent, [1, 1])


def test_tokens_beyond_the_limit_are_cut_and_flagged():
    examples = encode_all(SONG, Utterance("hey hey"), max_tokens=2)
    np.testing.assert_array_equal(examples.token_ids, [[2, 3], [3, 3]])
    np.testing.assert_array_equal(examples.slots, [[0, 1], [0, 0]])
    np.testing.assert_array_equal(examples.lengths, [2, 2])
    np.testing.assert_array_equal(examples.truncated, [True, False])


@pytest.mark.parametrize("text", ["", " ", "\u3000\t"])
def test_a_text_without_tokens_is_one_unknown(text):
    examples = encode_all(Utterance(text, intents=("play",)))
    np.testing.assert_array_equal(examples.token_ids, [[UNKNOWN]])
    np.testing.assert_array_equal(examples.slots, [[0]])
    np.testing.assert_array_equal(examples.lengths, [1])
    assert not examples.truncated[0]


def test_encode_words_folds_and_looks_up():
    ids, truncated = encode_words(["HEY", "ho"], TOKENIZER, VOCABULARY, 2)
    assert (ids.tolist(), truncated) == ([3, UNKNOWN], False)
    ids, truncated = encode_words([], TOKENIZER, VOCABULARY, 2)
    assert (ids.tolist(), ids.dtype, truncated) == ([UNKNOWN], np.int32, False)


def test_a_slot_between_tokens_is_told_with_its_place():
    cut = Utterance("play it", slots=(SlotSpan("song", 1, 4),), origin="a.jsonl:3")
    with pytest.raises(InputError) as error:
        encode_all(cut)
    assert (error.value.file, error.value.line) == ("a.jsonl", 3)


def test_own_tokens_go_before_those_of_the_tokenizer():
    text, tokens = join_words(["o'clock"])
    assert tokens_of(Utterance(text, tokens), TOKENIZER) == tokens
    found = [token.text for token in tokens_of(Utterance(text), TOKENIZER)]
    assert found == ["o", "'", "clock"]


def test_labels_are_those_of_training_and_no_others():
    utterances = [
        SONG,
        Utterance("stop", slots=(SlotSpan("verb", 0, 4),), intents=("stop", "play")),
        Utterance("play stop", intents=("play", "stop")),
        Utterance("hey", intents=()),
    ]
    labels = training_labels(utterances, TOKENIZER)
    # The set keeps the spelling it was first seen in; there is no I-verb.
    assert labels.intents == ["", "play", "stop#play"]
    assert labels.tags == ["O", "B-song", "I-song", "B-verb"]


def test_outside_is_a_tag_even_where_no_token_has_it():
    labels = training_labels(
        [Utterance("hey", slots=(SlotSpan("x", 0, 3),))], TOKENIZER
    )
    assert labels.tags == ["O", "B-x"]


def test_an_intent_set_comes_back_from_its_name():
    assert intent_set("a#b") == ("a", "b")
    assert intent_set("") == ()


def test_rows_are_padded_to_the_longest_or_to_a_length():
    rows = [np.array([1]), np.array([2, 3])]
    np.testing.assert_array_equal(pad_rows(rows, 9), [[1, 9], [2, 3]])
    padded = pad_rows(rows, -1, length=3)
    np.testing.assert_array_equal(padded, [[1, -1, -1], [2, 3, -1]])
    assert padded.dtype == np.int32


@st.composite
def labelled_utterances(draw):
    """Utterances whose slots sit on the tokenizer's own tokens."""
    text = draw(st.text("ab1 é́.,😀听שלום\u3000\ud800", max_size=20))
    tokens = TOKENIZER.tokenize(text)
    slots, place = [], 0
    while place < len(tokens):
        end = draw(st.integers(place, min(place + 3, len(tokens))))
        if end > place:
            name = draw(st.sampled_from(["a", "b", "a-b#c"]))
            slots.append(SlotSpan(name, tokens[place].start, tokens[end - 1].end))
        place = max(end, place + 1)
    return Utterance(text, slots=tuple(slots), intents=("x",))


@settings(max_examples=200, deadline=None)
@given(labelled_utterances())
def test_slots_survive_tags_and_chunks(utterance):
    tokens = tokens_of(utterance, TOKENIZER)
    tags = bio_tags(utterance, tokens)
    assert slot_spans(tokens, tags) == utterance.slots
    assert chunks(tags) == chunks(tags, strict=True)


@settings(max_examples=50, deadline=None)
@given(st.lists(labelled_utterances(), min_size=1, max_size=4))
def test_slots_survive_encoding(utterances):
    labels = training_labels(utterances, TOKENIZER)
    examples = encode(utterances, TOKENIZER, VOCABULARY, labels, max_tokens=128)
    for row, utterance in enumerate(utterances):
        length = examples.lengths[row]
        tags = [labels.tags[tag] for tag in examples.slots[row, :length]]
        tokens = tokens_of(utterance, TOKENIZER)
        assert slot_spans(tokens, tags[: len(tokens)]) == utterance.slots
        assert (examples.token_ids[row, :length] > 0).all()
        assert (examples.token_ids[row, length:] == 0).all()
        assert (examples.slots[row, length:] == -1).all()


def test_labels_of_a_sigmoid_are_single_intents():
    utterances = [
        Utterance("a", intents=("stop", "play")),
        Utterance("b", intents=("play",)),
        Utterance("c"),
    ]
    labels = training_labels(utterances, TOKENIZER, "sigmoid")
    assert labels.intents == ["play", "stop"]
    utterances.append(Utterance("d", intents=("play", "sing")))
    examples = encode(utterances, TOKENIZER, VOCABULARY, labels, 128)
    assert examples.intent.tolist() == [[1, 1], [1, 0], [0, 0], [-1, -1]]
    assert examples.intent.dtype == np.int32
