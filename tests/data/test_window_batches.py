"""Windows of a long text: each token once an epoch, at other places each time."""

import numpy as np
import pytest

from keras_slu.data.window_batches import WindowBatches
from keras_slu.text.vocabulary import UNKNOWN

IDS = np.arange(2, 102, dtype="int32")
MARKS = (IDS % 3 - 1).astype("int32")  # -1, 0 and 1


def make(**kwargs):
    return WindowBatches(IDS, MARKS, window=8, batch_size=4, seed=3, **kwargs)


def rows(batches, epoch):
    parts = list(batches.batches(epoch))
    assert len(parts) == len(batches)
    ids = np.concatenate([inputs["token_ids"] for inputs, _, _ in parts])
    marks = np.concatenate([labels["marks"] for _, labels, _ in parts])
    weights = np.concatenate([weight for _, _, weight in parts])
    return ids, marks, weights


@pytest.mark.parametrize("epoch", range(12))
def test_an_epoch_has_every_token_once(epoch):
    ids, marks, weights = rows(make(), epoch)
    real = (ids != 0) & (weights[:, None] > 0)
    assert sorted(ids[real]) == IDS.tolist()
    np.testing.assert_array_equal(marks[real], ids[real] % 3 - 1)
    assert (marks[~real] == -1).all()
    # Right-padded, and no row all padding.
    assert (np.diff((ids != 0).astype(int), axis=1) <= 0).all()
    assert (ids[weights == 0, 0] == UNKNOWN).all()
    assert (ids[weights == 0, 1:] == 0).all()


def test_windows_hold_neighbours_and_stand_elsewhere_each_epoch():
    firsts = []
    for epoch in range(4):
        ids, _, weights = rows(make(), epoch)
        ids = ids[weights > 0]
        steps = np.diff(ids, axis=1)
        assert (steps[ids[:, 1:] != 0] == 1).all()
        firsts.append(sorted(ids[:, 0]))
    assert len({tuple(first) for first in firsts}) > 1


def test_an_epoch_is_a_function_of_seed_and_epoch():
    settings = {"noise": 0.3, "word_dropout": 0.5, "counts": np.ones(102, int)}
    one, again, other = (rows(make(**settings), epoch)[0] for epoch in (5, 5, 6))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_rare_words_are_dropped_at_the_rate():
    counts = np.where(np.arange(102) < 52, 1, 2)
    ids, _, weights = rows(make(word_dropout=0.5, counts=counts), 0)
    ids = ids[weights > 0]
    assert 10 < (ids == UNKNOWN).sum() < 40
    assert set(range(52, 102)) <= set(ids.ravel())


def test_dropped_words_become_what_they_are_taken_for():
    settings = {"word_dropout": 0.5, "counts": np.ones(102, int)}
    plain, _, _ = rows(make(**settings), 0)
    taken, _, _ = rows(make(**settings, unknown_ids=200 + np.arange(102)), 0)
    is_dropped = plain != taken
    assert (plain[is_dropped] == UNKNOWN).all()
    assert (taken[is_dropped] > 200).all()
    assert is_dropped.any()


def test_noise_keeps_the_number_of_batches_and_most_tokens():
    for epoch in range(5):
        ids, marks, weights = rows(make(noise=0.4), epoch)
        ids = ids[weights > 0]
        assert 60 < len(set(ids.ravel()) - {0}) < 100
        assert (ids != 0).sum() <= 100


def test_the_dataset_gives_the_epoch_that_is_set():
    batches = make()
    batches.epoch = 2
    dataset = batches.dataset()
    assert int(dataset.cardinality()) == len(batches)
    found = np.concatenate([inputs["token_ids"] for inputs, _, _ in dataset])
    np.testing.assert_array_equal(found, rows(batches, 2)[0])
