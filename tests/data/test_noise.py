"""Errors like a recogniser's: their rate, and where marks go."""

import numpy as np
import pytest

from keras_slu.data.marked_words import MarkedWords
from keras_slu.data.noise import add_noise
from keras_slu.data.noise import move_marks
from keras_slu.data.noise import noisy_marked_words
from keras_slu.data.noise import noisy_order

RANDOM = np.random.default_rng


def test_the_rates_are_those_asked_for():
    count = 40_000
    sources, is_own = noisy_order(count, 0.2, RANDOM(0))
    assert (np.diff(sources) >= 0).all()
    lost = count - len(np.unique(sources))
    repeats = sources[1:] == sources[:-1]
    made_up = repeats.sum()
    other = (~is_own).sum() - made_up
    assert not is_own[1:][repeats].any()
    assert lost / count == pytest.approx(0.05, rel=0.1)
    assert made_up / count == pytest.approx(0.05, rel=0.1)
    assert other / count == pytest.approx(0.1, rel=0.1)


def test_no_rate_means_no_errors_and_a_full_one_leaves_no_word_alone():
    sources, is_own = noisy_order(50, 0.0, RANDOM(0))
    assert sources.tolist() == list(range(50)) and is_own.all()
    sources, is_own = noisy_order(5000, 1.0, RANDOM(0))
    made_up = np.append(sources[1:] == sources[:-1], False)
    assert (made_up | ~is_own).all()
    assert noisy_order(0, 0.5, RANDOM(0))[0].tolist() == []


def test_words_come_from_the_text_itself():
    words = [f"w{place}" for place in range(200)]
    noisy, sources = add_noise(words, 0.3, RANDOM(1))
    assert set(noisy) <= set(words) and len(noisy) == len(sources)
    same = [word == words[place] for word, place in zip(noisy, sources, strict=True)]
    assert 0.6 < np.mean(same) < 0.95
    assert add_noise([], 0.3, RANDOM(1))[0] == []


@pytest.mark.parametrize(
    "sources, moved",
    [
        ([0, 1, 2, 3], [0, 2, 0, 1]),
        ([0, 2, 3], [2, 0, 1]),  # the mark of a lost word goes to the one before
        ([1, 2, 3], [2, 0, 1]),
        ([0, 1, 2], [0, 2, 1]),
        ([0, 1], [0, 2]),  # which keeps its own
        ([2, 3], [0, 1]),  # none is before
        ([0, 1, 1, 2, 3, 3], [0, 0, 2, 0, 0, 1]),  # a made-up word is before the mark
    ],
)
def test_where_marks_go(sources, moved):
    marks = np.array([0, 2, 0, 1])
    assert move_marks(marks, np.array(sources)).tolist() == moved


def test_pieces_inside_a_word_get_no_mark_of_their_own():
    marks = np.array([-1, 0, 3])
    assert move_marks(marks, np.array([0, 0, 1, 2, 2])).tolist() == [-1, -1, 0, 0, 3]


def test_marked_words_keep_their_sentence_ends():
    marked = MarkedWords(["a", "b", "c", "d"] * 50, ["O", "COMMA", "O", "PERIOD"] * 50)
    noisy = noisy_marked_words(marked, 0.1, RANDOM(3))
    assert len(noisy.words) == len(noisy.marks) != 0
    assert noisy.words != marked.words
    assert 48 <= noisy.marks.count("PERIOD") <= 50
    assert noisy_marked_words(marked, 0.0, RANDOM(3)) == marked
