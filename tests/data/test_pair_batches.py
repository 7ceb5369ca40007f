"""Batches of sentence pairs."""

import numpy as np
import pytest

from keras_slu.data.pair_batches import PairBatches
from keras_slu.losses import SlotCrossentropy
from keras_slu.text.sentence_pieces import END
from keras_slu.text.sentence_pieces import START

rng = np.random.default_rng(0)
SOURCES = [
    [*rng.integers(4, 90, rng.integers(1, 20)).tolist(), END] for _ in range(203)
]
TARGETS = [rng.integers(4, 90, rng.integers(1, 25)).tolist() for _ in SOURCES]


def make(seed=1):
    return PairBatches(SOURCES, TARGETS, batch_tokens=256, seed=seed)


def rows(batch):
    """The pairs in a batch whose weight is not 0."""
    inputs, labels, weight = batch
    for row in np.flatnonzero(weight):
        source, target, label = (
            values[row].tolist()
            for values in (inputs["token_ids"], inputs["target_ids"], labels["target"])
        )
        label = [token for token in label if token != -1]
        assert label[-1] == END and target[0] == START
        assert target[1 : len(label)] == label[:-1]
        yield [token for token in source if token], label[:-1]


@pytest.mark.parametrize("epoch", [0, 1])
def test_an_epoch_has_each_pair_once(epoch):
    batches = list(make().batches(epoch))
    assert len(batches) == len(make())
    found = [pair for batch in batches for pair in rows(batch)]
    assert sorted(found) == sorted(zip(SOURCES, TARGETS, strict=True))


def test_batches_have_no_more_tokens_than_asked_and_can_be_split():
    batches = list(make().batches(0))
    for inputs, labels, weight in batches:
        assert len(weight) % 8 == 0
        for ids in (inputs["token_ids"], labels["target"]):
            assert ids.size <= 256
            assert (ids[:, 0] > 0).all()  # no row is all padding
    real = sum((labels["target"] >= 0).sum() for _, labels, _ in batches)
    room = sum(labels["target"].size for _, labels, _ in batches)
    assert real > 0.6 * room


def test_the_order_is_a_function_of_seed_and_epoch():
    def order(seed, epoch):
        batches = make(seed).batches(epoch)
        return [inputs["token_ids"].tolist() for inputs, _, _ in batches]

    assert order(1, 0) == order(1, 0)
    assert order(1, 0) != order(1, 1) != order(2, 1)


def test_the_loss_is_the_mean_over_the_tokens():
    inputs, labels, weight = next(make().batches(0))
    logits = rng.normal(size=(*labels["target"].shape, 90)).astype("float32")
    loss = SlotCrossentropy()
    is_real = labels["target"] >= 0
    is_real[weight == 0] = False
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    gold = np.take_along_axis(log_p, labels["target"][..., None], axis=-1)[..., 0]
    found = float(loss(labels["target"], logits, weight))
    assert found == pytest.approx(-gold[is_real].mean(), rel=1e-5)
