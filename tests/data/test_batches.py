"""Batches of an epoch: each utterance once, of equal size, little padding."""

from dataclasses import replace

import numpy as np
import pytest

from keras_slu.data.batches import POOL_BATCHES
from keras_slu.data.batches import TrainingBatches
from keras_slu.data.batches import bucket_bound
from keras_slu.data.encoding import Examples
from keras_slu.text.vocabulary import UNKNOWN

BATCH_SIZE = 8


def make_examples(lengths):
    """Examples whose intent is their number, and every label tells its row."""
    lengths = np.array(lengths, np.int32)
    rows, time = len(lengths), lengths.max()
    real = np.arange(time) < lengths[:, None]
    number = np.arange(rows, dtype=np.int32)
    token_ids = np.where(real, 2 + number[:, None], 0).astype(np.int32)
    slots = np.where(real, number[:, None], -1).astype(np.int32)
    return Examples(token_ids, slots, number, lengths, np.zeros(rows, bool))


def draw_lengths(rows, seed=0, longest=40):
    return np.random.default_rng(seed).integers(1, longest + 1, rows)


def epoch_of(batches, epoch=0):
    return list(batches.batches(epoch))


def seen(epoch):
    """The numbers of the utterances of weight 1, in order."""
    return [
        int(number)
        for _, labels, weight in epoch
        for number in labels["intent"][weight == 1.0]
    ]


@pytest.mark.parametrize("rows", [1, 7, 8, 9, 16, 403, 405])
def test_every_utterance_once_an_epoch(rows):
    # 405 is more than one pool and leaves a remainder in the last.
    assert POOL_BATCHES * BATCH_SIZE < 403
    batches = TrainingBatches(make_examples(draw_lengths(rows)), BATCH_SIZE, seed=1)
    epoch = epoch_of(batches)
    assert sorted(seen(epoch)) == list(range(rows))
    assert len(epoch) == len(batches) == -(-rows // BATCH_SIZE)


def test_rows_hold_the_utterances_and_nothing_else():
    examples = make_examples(draw_lengths(50))
    for inputs, labels, weight in epoch_of(TrainingBatches(examples, BATCH_SIZE, 1)):
        for row in np.flatnonzero(weight):
            number = labels["intent"][row]
            length = examples.lengths[number]
            ids, tags = inputs["token_ids"][row], labels["slots"][row]
            np.testing.assert_array_equal(
                ids[:length], examples.token_ids[number, :length]
            )
            np.testing.assert_array_equal(
                tags[:length], examples.slots[number, :length]
            )
            assert (ids[length:] == 0).all()
            assert (tags[length:] == -1).all()


def test_batches_have_one_size_and_one_remainder_is_filled():
    batches = TrainingBatches(make_examples(draw_lengths(405)), BATCH_SIZE, seed=1)
    short = 0
    for inputs, labels, weight in epoch_of(batches):
        ids, tags = inputs["token_ids"], labels["slots"]
        assert ids.shape == tags.shape and len(ids) == BATCH_SIZE
        assert labels["intent"].shape == weight.shape == (BATCH_SIZE,)
        assert (ids.dtype, tags.dtype, weight.dtype) == (np.int32, np.int32, np.float32)
        fillers = weight == 0.0
        short += fillers.any()
        # A row is never all padding; a filler is one unknown token.
        assert (ids[:, 0] != 0).all()
        assert (ids[fillers, 0] == UNKNOWN).all() and (ids[fillers, 1:] == 0).all()
        assert (tags[fillers, 0] == 0).all() and (tags[fillers, 1:] == -1).all()
        assert set(weight.tolist()) <= {0.0, 1.0}
    assert short == 1


def test_an_epoch_is_a_function_of_seed_and_epoch():
    examples = make_examples(draw_lengths(100))
    settings = {"word_dropout": 0.5, "counts": np.ones(102, int)}
    one = TrainingBatches(examples, BATCH_SIZE, seed=1, **settings)
    other = TrainingBatches(examples, BATCH_SIZE, seed=1, **settings)
    epoch_of(other, 0), epoch_of(other, 5)  # what was drawn before changes nothing
    for a, b in zip(epoch_of(one, 3), epoch_of(other, 3), strict=True):
        np.testing.assert_array_equal(a[0]["token_ids"], b[0]["token_ids"])
        np.testing.assert_array_equal(a[1]["slots"], b[1]["slots"])
        np.testing.assert_array_equal(a[1]["intent"], b[1]["intent"])
        np.testing.assert_array_equal(a[2], b[2])


def test_epochs_and_seeds_differ_in_order_and_in_company():
    examples = make_examples(draw_lengths(100))
    one = TrainingBatches(examples, BATCH_SIZE, seed=1)
    other = TrainingBatches(examples, BATCH_SIZE, seed=2)
    orders = [seen(epoch_of(one, 0)), seen(epoch_of(one, 1)), seen(epoch_of(other, 0))]
    assert len({tuple(order) for order in orders}) == 3

    def companies(epoch):
        return {frozenset(labels["intent"].tolist()) for _, labels, _ in epoch}

    assert companies(epoch_of(one, 0)) != companies(epoch_of(one, 1))


def test_batches_do_not_come_by_length():
    batches = TrainingBatches(make_examples(draw_lengths(400)), BATCH_SIZE, seed=1)
    times = [inputs["token_ids"].shape[1] for inputs, _, _ in epoch_of(batches)]
    assert times != sorted(times)


def test_padding_is_at_most_an_eighth_over_the_longest():
    examples = make_examples(draw_lengths(400, longest=200))
    for inputs, labels, weight in epoch_of(TrainingBatches(examples, BATCH_SIZE, 1)):
        longest = examples.lengths[labels["intent"][weight == 1.0]].max()
        assert longest <= inputs["token_ids"].shape[1] <= 1.125 * longest


def test_sorting_in_pools_saves_padding():
    examples = make_examples(draw_lengths(400))
    epoch = epoch_of(TrainingBatches(examples, BATCH_SIZE, 1))
    padding = [(inputs["token_ids"] == 0).mean() for inputs, _, _ in epoch]
    assert np.mean(padding) < 0.1


def test_bounds_are_few_and_close_above():
    bounds = [bucket_bound(length) for length in range(1, 1025)]
    for length, bound in enumerate(bounds, 1):
        assert length <= bound <= 1.125 * length
    assert bounds == sorted(bounds)
    assert len(set(bounds)) < 70  # each is a shape to compile for


def test_word_dropout_hits_words_seen_once_at_its_rate():
    rows = 2000
    examples = make_examples(np.full(rows, 3))
    # Every second word is said to be seen once.
    counts = np.array([0, 1, *([1, 2] * (rows // 2))])
    batches = TrainingBatches(examples, BATCH_SIZE, 1, word_dropout=0.3, counts=counts)
    before = examples.token_ids.copy()
    once = dropped = 0
    for inputs, labels, weight in epoch_of(batches):
        ids, number = inputs["token_ids"], labels["intent"]
        ids, original = ids[weight == 1.0, :3], before[number[weight == 1.0]]
        is_once = counts[original] == 1
        assert (ids[~is_once] == original[~is_once]).all()
        assert np.isin(ids[is_once], [UNKNOWN, *np.unique(original[is_once])]).all()
        once += is_once.sum()
        dropped += (ids[is_once] == UNKNOWN).sum()
    assert once == 3 * rows / 2
    assert abs(dropped / once - 0.3) < 0.03
    np.testing.assert_array_equal(examples.token_ids, before)  # not in place


def test_dropped_words_become_what_they_are_taken_for():
    examples = make_examples(np.full(64, 4))
    batches = TrainingBatches(
        examples,
        BATCH_SIZE,
        1,
        word_dropout=0.5,
        counts=np.ones(66, int),
        unknown_ids=100 + np.arange(66),
    )
    for inputs, labels, _ in epoch_of(batches):
        before = examples.token_ids[labels["intent"]]
        ids = inputs["token_ids"][:, :4]
        assert ((ids == before) | (ids == 100 + before)).all()
        assert (ids >= 100).any()


def test_word_dropout_draws_anew_each_epoch():
    examples = make_examples(np.full(64, 4))
    batches = TrainingBatches(
        examples, BATCH_SIZE, 1, word_dropout=0.5, counts=np.ones(66, int)
    )

    def dropped(epoch):
        ids = np.zeros((64, 4), np.int32)
        for inputs, labels, _ in epoch_of(batches, epoch):
            ids[labels["intent"]] = inputs["token_ids"][:, :4]
        return ids == UNKNOWN

    assert (dropped(0) != dropped(1)).any()


def test_dataset_gives_the_arrays_of_the_epoch_it_is_set_to():
    batches = TrainingBatches(make_examples(draw_lengths(30)), BATCH_SIZE, seed=1)
    dataset = batches.dataset()
    for epoch in (0, 2):
        batches.epoch = epoch
        found = list(dataset.as_numpy_iterator())
        for got, wanted in zip(found, epoch_of(batches, epoch), strict=True):
            np.testing.assert_array_equal(got[0]["token_ids"], wanted[0]["token_ids"])
            np.testing.assert_array_equal(got[1]["slots"], wanted[1]["slots"])
            np.testing.assert_array_equal(got[1]["intent"], wanted[1]["intent"])
            np.testing.assert_array_equal(got[2], wanted[2])


def test_dataset_knows_its_batch_size_and_its_length():
    batches = TrainingBatches(make_examples(draw_lengths(30)), BATCH_SIZE, seed=1)
    dataset = batches.dataset()
    inputs, labels, weight = dataset.element_spec
    assert inputs["token_ids"].shape.as_list() == [BATCH_SIZE, None]
    assert labels["slots"].shape.as_list() == [BATCH_SIZE, None]
    assert labels["intent"].shape.as_list() == [BATCH_SIZE]
    assert weight.shape.as_list() == [BATCH_SIZE]
    assert int(dataset.cardinality()) == len(batches) == 4


def test_a_teacher_gives_the_tag_before_each_token_and_the_intent():
    examples = make_examples(draw_lengths(11))
    batches = TrainingBatches(examples, BATCH_SIZE, 1, teacher=True)
    for inputs, labels, _ in epoch_of(batches):
        assert (inputs["prev_tags"][:, 0] == -1).all()
        np.testing.assert_array_equal(
            inputs["prev_tags"][:, 1:], labels["slots"][:, :-1]
        )
        np.testing.assert_array_equal(inputs["gold_intent"], labels["intent"])
    x, y, _ = next(iter(batches.dataset()))
    assert sorted(x) == ["gold_intent", "prev_tags", "token_ids"]
    assert x["prev_tags"].shape == y["slots"].shape


def test_values_are_exchanged_before_words_are_dropped():
    class Exchange:
        def exchange(self, rate, random):
            assert rate == 0.25
            return make_examples([3] * 11)

    counts = np.ones(20, int)
    batches = TrainingBatches(
        make_examples(draw_lengths(11)),
        BATCH_SIZE,
        1,
        word_dropout=0.5,
        counts=counts,
        exchange=Exchange(),
        exchange_rate=0.25,
    )
    ids = np.concatenate([inputs["token_ids"] for inputs, _, _ in epoch_of(batches)])
    assert ids.shape == (16, 3)
    assert 5 < (ids[:, 1:] == UNKNOWN).sum() < 19


def test_rows_of_intents_are_batched():
    examples = make_examples(draw_lengths(11))
    rows = np.stack([examples.intent, -examples.intent], axis=1)
    batches = TrainingBatches(replace(examples, intent=rows), BATCH_SIZE, 1)
    found = [labels["intent"] for _, labels, _ in epoch_of(batches)]
    assert {intent.shape for intent in found} == {(BATCH_SIZE, 2)}
    numbers = np.concatenate(found)
    assert sorted(numbers[:, 0]) == [0] * 5 + list(range(11))
    np.testing.assert_array_equal(numbers[:, 1], -numbers[:, 0])
    _, y, _ = next(iter(batches.dataset()))
    assert y["intent"].shape == (BATCH_SIZE, 2)
