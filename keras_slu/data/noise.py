"""Errors like a speech recogniser's: words exchanged, lost and made up."""

import numpy as np

from keras_slu.data.marked_words import MARKS
from keras_slu.data.marked_words import NO_MARK
from keras_slu.data.marked_words import MarkedWords


def noisy_order(count, rate, random):
    """Draws which words of a text are left, and where others come in.

    Each word is, at `rate`, hit by an error: in half of the cases another
    word stands in its place, in a quarter it is lost, in a quarter another
    word comes after it, as is about right for a recogniser of English.

    Args:
        count: int. The number of words.
        rate: float in [0, 1]. Errors a word: the word error rate.
        random: `numpy.random.Generator`.

    Returns:
        `(sources, is_own)`: int array `(n,)`, by rising value, the place that
        each word of the noisy text stands for, and a bool array, whether it
        is the word of that place; if not, it is another.

    Example:

    >>> sources, is_own = noisy_order(5, 0.0, np.random.default_rng(0))
    >>> sources.tolist(), is_own.all().item()
    ([0, 1, 2, 3, 4], True)
    """
    drawn = random.random(count) / rate if rate else np.full(count, 2.0)
    substituted = drawn < 0.5
    deleted = (drawn >= 0.5) & (drawn < 0.75)
    inserted = (drawn >= 0.75) & (drawn < 1.0)
    times = np.where(deleted, 0, np.where(inserted, 2, 1))
    sources = np.repeat(np.arange(count), times)
    is_own = ~substituted[sources]
    is_own[1:] &= sources[1:] != sources[:-1]
    return sources, is_own


def add_noise(words, rate, random):
    """Adds errors to words.

    Args:
        words: list of str. Other words are drawn from them, so that frequent
            ones come often.
        rate: float in [0, 1]. The word error rate.
        random: `numpy.random.Generator`.

    Returns:
        `(noisy, sources)`: list of str, and for each the place in `words` that
        it stands for, int array by rising place.
    """
    sources, is_own = noisy_order(len(words), rate, random)
    others = random.integers(max(len(words), 1), size=len(sources))
    places = np.where(is_own, sources, others)
    return [words[place] for place in places.tolist()], sources


def move_marks(marks, sources):
    """Gives the words of a noisy text the marks of what they stand for.

    A word made up comes before its neighbour's mark, and the mark of a lost
    word goes to the one before, unless that has its own.

    Args:
        marks: int array `(words,)`, above 0 for a mark.
        sources: int array `(n,)`, as `noisy_order` gives them.

    Returns:
        int array `(n,)`.
    """
    moved = marks[sources]
    moved[:-1][(sources[1:] == sources[:-1]) & (moved[:-1] > 0)] = 0
    is_lost = marks > 0
    is_lost[sources] = False
    lost = np.flatnonzero(is_lost)
    before = np.searchsorted(sources, lost) - 1
    lost, before = lost[before >= 0], before[before >= 0]
    is_free = moved[before] <= 0
    moved[before[is_free]] = marks[lost[is_free]]
    return moved


def noisy_marked_words(marked, rate, random):
    """Adds errors to `MarkedWords`; no sentence end is lost with its word."""
    names = [NO_MARK, *MARKS]
    words, sources = add_noise(marked.words, rate, random)
    marks = np.array([names.index(mark) for mark in marked.marks], int)
    moved = move_marks(marks, sources).tolist()
    return MarkedWords(words, [names[mark] for mark in moved])
