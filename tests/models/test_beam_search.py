"""Beam search beside all sequences there are."""

import itertools

import numpy as np
import pytest
from checks import array
from checks import draw
from keras import ops

from keras_slu.models.beam_search import beam_search

START, END = 1, 2
WORDS = range(3, 6)
VOCABULARY, LENGTH, BATCH = 6, 4, 3
# Log-probabilities of the next token, by row, place, last token and the token
# before it, which only the cache knows.
LOG_P = draw(BATCH, LENGTH, VOCABULARY, VOCABULARY, VOCABULARY)
LOG_P[..., :2] = -1e9
LOG_P[..., 2:] -= np.log(np.exp(LOG_P[..., 2:]).sum(axis=-1, keepdims=True))


def search(beam_size, length_penalty):
    table = ops.repeat(ops.convert_to_tensor(LOG_P), beam_size, axis=0)
    rows = ops.arange(BATCH * beam_size)

    def step(last, place, cache):
        (before,) = cache
        where = ((rows * LENGTH + place) * VOCABULARY + last) * VOCABULARY
        where = where + ops.cast(before, "int32")
        log_p = ops.take(ops.reshape(table, (-1, VOCABULARY)), where, axis=0)
        return log_p, (ops.cast(last, "float32"),)

    cache = (ops.zeros((BATCH * beam_size,)),)
    return [
        array(found)
        for found in beam_search(
            step, cache, BATCH, LENGTH, START, END, beam_size, length_penalty
        )
    ]


def score(row, tokens, length_penalty):
    total, last, before = 0.0, START, 0
    for place, token in enumerate(tokens):
        total += LOG_P[row, place, last, before, token]
        last, before = token, last
    return total / ((5 + len(tokens)) / 6) ** length_penalty


def sequences():
    """All that end, and those that are cut at the greatest length."""
    for size in range(LENGTH):
        for words in itertools.product(WORDS, repeat=size):
            yield (*words, END)
    yield from itertools.product(WORDS, repeat=LENGTH)


@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_a_wide_beam_finds_the_best_of_all(length_penalty):
    tokens, scores = search(200, length_penalty)
    for row in range(BATCH):
        best = max(sequences(), key=lambda s: score(row, s, length_penalty))
        assert tokens[row].tolist() == [*best, *[0] * (LENGTH - len(best))]
        assert scores[row] == pytest.approx(score(row, best, length_penalty), abs=1e-5)


@pytest.mark.parametrize("beam_size", [2, 3])
def test_a_narrow_beam_scores_what_it_finds(beam_size):
    """The cache of a sequence is that of its own beginning."""
    tokens, scores = search(beam_size, 0.6)
    for row in range(BATCH):
        found = [token for token in tokens[row].tolist() if token]
        assert scores[row] == pytest.approx(score(row, found, 0.6), abs=1e-5)


def test_a_beam_of_one_is_greedy():
    tokens, _ = search(1, 0.6)
    for row in range(BATCH):
        found, last, before = [], START, 0
        while len(found) < LENGTH and last != END:
            choice = int(LOG_P[row, len(found), last, before].argmax())
            found.append(choice)
            last, before = choice, last
        assert [token for token in tokens[row].tolist() if token] == found
