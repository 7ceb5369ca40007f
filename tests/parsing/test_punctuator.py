"""Punctuation of whole texts: nothing is lost, and only the text counts."""

import json
import random
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies
from marked import MARKS
from marked import WORDS
from marked import make_model

import keras_slu
from keras_slu.data.marked_words import MARKS as SIGNS
from keras_slu.errors import InputError
from keras_slu.parsing.mark_finder import MarkFinder
from keras_slu.parsing.marked_word import MarkedWord
from keras_slu.parsing.marked_word import WordMarker
from keras_slu.parsing.punctuator import Punctuator
from keras_slu.text.table import SEPARATOR
from keras_slu.text.table import SINGLE

ODD = (
    "",
    " \n",
    "...",
    "?! -- «»",
    "what",
    "  what\r\n\thappened ",
    "don't I'm Zoë's o'clock",
    "3.5 U.S. 1,000.25 $5 50% http://a.b/c?d=e&f x@y.z",
    'so, what happened? nobody (really) "knows."',
    "a b c d e f g h i j k l m n o p q r s t u v w x y z",
    "听歌 play שלום 😀👍🏽 e\u0301 \u0301 \u200b\ufeff\x00 \ud800",
    "what" * 500,
)
TEXTS = strategies.lists(
    strategies.sampled_from([*WORDS, *ODD, " ", "\n", "!", "i'm"]), max_size=40
).map(" ".join) | strategies.text(max_size=60)


@pytest.fixture(scope="module")
def punctuator():
    return Punctuator(make_model())


def words_of(text):
    return [word for word in SEPARATOR.split(text) if word]


def without_new_marks(words):
    return "".join(word.before + word.text for word in words)


def long_text(count, seed=0):
    return " ".join(random.Random(seed).choices(WORDS, k=count))


@pytest.mark.parametrize("text", ODD)
def test_odd_texts_keep_every_character(punctuator, text):
    check_that_nothing_is_lost(punctuator, text)


@given(TEXTS)
@settings(deadline=None, max_examples=60)
def test_any_text_keeps_every_character(punctuator, text):
    check_that_nothing_is_lost(punctuator, text)


def check_that_nothing_is_lost(punctuator, text):
    words = list(punctuator.words([text]))
    assert without_new_marks(words) == text
    assert [word.text for word in words if word.text] == words_of(text)
    for word in words:
        assert text[word.start : word.end] == word.text
        assert word.mark in ("", ",", ".", "?")
        assert 0.0 <= word.probability <= 1.0 + 1e-6
        if word.mark:
            kinds = punctuator.model.tokenizer.table.classes
            assert {kinds[ord(c)] for c in word.text} - {SINGLE}
            assert word.text[-1] not in ",.?!:;"
    assert punctuator.punctuate(text) == "".join(map(str, words))
    replaced = punctuator.punctuate(text, existing="replace", casing=True)
    letters = [c.upper() for c in text if c.isalnum()]
    assert [c.upper() for c in replaced if c.isalnum()] == letters


@given(strategies.data())
@settings(deadline=None, max_examples=25)
def test_how_a_text_is_parted_changes_nothing(punctuator, data):
    text = data.draw(TEXTS)
    cuts = sorted(data.draw(strategies.lists(strategies.integers(0, len(text)))))
    bounds = [0, *cuts, len(text)]
    parts = [text[a:b] for a, b in zip(bounds, bounds[1:], strict=False)]
    assert list(punctuator.words(parts)) == list(punctuator.words([text]))


def test_long_texts_are_read_in_blocks_with_the_same_result(punctuator, monkeypatch):
    text = long_text(700)
    whole = list(punctuator.words([text]))
    marks = {word.mark for word in whole}
    assert len(marks) > 2  # bold enough to tell
    monkeypatch.setattr("keras_slu.parsing.word_reader.BLOCK", 97)
    parts = [text[place : place + 13] for place in range(0, len(text), 13)]
    found = list(punctuator.words(parts))
    assert [word.mark for word in found] == [word.mark for word in whole]
    assert [word.start for word in found] == [word.start for word in whole]


def test_each_window_decides_its_core(punctuator):
    finder = MarkFinder(punctuator.model)
    ids = np.random.default_rng(0).integers(2, len(WORDS) + 2, 50).astype("int32")
    marks, probabilities = finder.find(ids)
    for start in range(0, 50, 8):  # of 16, with margins of 4
        begin = max(start - 4, 0)
        (expected,) = finder.run([ids[begin : start + 12]])
        part = slice(start - begin, start - begin + 8)
        np.testing.assert_array_equal(marks[start : start + 8], expected[0][part])
        np.testing.assert_allclose(
            probabilities[start : start + 8], expected[1][part], atol=1e-5
        )
    shifted, _ = finder.find(ids, shift=3)
    (expected,) = finder.run([ids[1:17]])  # the window that decides from 5 on
    np.testing.assert_array_equal(shifted[5:13], expected[0][4:12])


def test_memory_is_bounded(punctuator, monkeypatch):
    monkeypatch.setattr("keras_slu.parsing.word_reader.BLOCK", 2**12)

    def peak(count):
        parts = (long_text(1000) + " " for _ in range(count))
        tracemalloc.start()
        for _ in punctuator.words(parts):
            pass
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(1)  # traces the graph
    assert peak(45) < 1.5 * peak(15)


def marked(text, mark="PERIOD", **how):
    probabilities = np.full(len(MARKS), 0.1)
    place = MARKS.index(mark)
    probabilities[place] = 0.7
    marker = WordMarker(MARKS, **how)
    return marker.mark(MarkedWord(text, 5, 5 + len(text)), (place, probabilities))


def test_a_word_that_brings_a_mark_keeps_it():
    for text in ("so,", "so?", 'so."', "so…", "so!)"):
        assert str(marked(text)) == text
    assert marked("so?").ends_sentence and not marked("so,").ends_sentence
    assert str(marked("so")) == "so."
    assert str(marked('"so"')) == '"so".'


def test_existing_marks_are_replaced_on_demand():
    word = marked("so?!", "COMMA", existing="replace")
    assert (word.text, word.end, word.mark) == ("so", 7, ",")
    assert not word.ends_sentence
    assert str(marked("so?!", "O", existing="replace")) == "so"
    assert str(marked("3.5", existing="replace")) == "3.5."
    assert str(marked('so?"', "COMMA", existing="replace")) == 'so?"'


def test_sentences_begin_with_a_capital():
    marker = WordMarker(MARKS, casing=True)
    answers = {mark: (place, np.eye(4)[place]) for place, mark in enumerate(MARKS)}
    spoken = [
        ("-", None),
        ("well", "COMMA"),
        ("i", "O"),
        ("i'm", "O"),
        ("in", "PERIOD"),
        ("(ßo", "O"),
        ("éric", "QUESTION"),
        ("then", "O"),
    ]
    given = [
        str(marker.mark(MarkedWord(text, 0, 0), answers.get(mark)))
        for text, mark in spoken
    ]
    assert given == ["-", "Well,", "I", "I'm", "in.", "(ßo", "éric?", "Then"]


def test_an_end_that_must_be_takes_the_most_probable_sentence_end():
    marker = WordMarker(MARKS)
    probabilities = np.array([0.5, 0.3, 0.05, 0.15])
    word = marker.mark(MarkedWord("what", 0, 4), (0, probabilities), is_end=True)
    assert (word.mark, word.ends_sentence) == ("?", True)
    assert word.probability == pytest.approx(0.15)


def test_another_way_with_existing_marks_is_refused(punctuator):
    with pytest.raises(InputError, match="Choose from keep, replace"):
        punctuator.punctuate("so", existing="drop")


def test_a_saved_model_is_loaded_as_a_punctuator(punctuator, tmp_path):
    punctuator.model.save(tmp_path / "model.keras")
    again = keras_slu.load(tmp_path)
    assert isinstance(again, Punctuator)
    text = long_text(60)
    assert again.punctuate(text) == punctuator.punctuate(text)


def test_a_word_as_json(punctuator):
    words = list(punctuator.words([long_text(60)]))
    word = next(word for word in words if word.mark)
    content = json.loads(json.dumps(word.to_dict()))
    assert replace(word, **content) == word
    assert word.mark in SIGNS.values()
