"""Slot values change places, and nothing else does."""

import numpy as np
import pytest

from keras_slu.data.encoding import Examples
from keras_slu.data.encoding import pad_rows
from keras_slu.data.slot_exchange import SlotExchange

TAGS = ["O", "B-a", "I-a", "B-b"]
# Token ids tell what they are: 2 to 9 are outside, 10s of slot a, 20s of b.
ROWS = [
    ([2, 10, 11, 3], [0, 1, 2, 0]),
    ([4, 12], [0, 1]),
    ([20, 5, 13, 14, 15], [3, 0, 1, 2, 2]),
    ([6, 7], [0, -1]),
]


def make(max_tokens=50):
    ids, slots = zip(*ROWS, strict=True)
    examples = Examples(
        token_ids=pad_rows(ids, 0),
        slots=pad_rows(slots, -1),
        intent=np.arange(4, dtype=np.int32),
        lengths=np.array([len(row) for row in ids], np.int32),
        truncated=np.zeros(4, bool),
    )
    return examples, SlotExchange(examples, TAGS, max_tokens)


def rows(examples):
    return [
        (ids[:length].tolist(), slots[:length].tolist())
        for ids, slots, length in zip(
            examples.token_ids, examples.slots, examples.lengths, strict=True
        )
    ]


def draws(exchange, rate, number=200):
    for seed in range(number):
        yield exchange.exchange(rate, np.random.default_rng(seed))


def test_at_rate_0_all_is_as_it_was():
    examples, exchange = make()
    found = exchange.exchange(0.0, np.random.default_rng(0))
    assert rows(found) == ROWS
    assert found.token_ids.dtype == found.slots.dtype == np.int32


def test_every_value_of_a_slot_comes_into_every_place_of_it():
    _, exchange = make()
    values = {
        ((10, 11), (1, 2)),
        ((12,), (1,)),
        ((13, 14, 15), (1, 2, 2)),
    }
    seen = [set(), set(), set()]
    for found in draws(exchange, 0.99):
        first, second, third, last = rows(found)
        assert (first[0][0], first[0][-1], second[0][0]) == (2, 3, 4)
        assert third[0][:2] == [20, 5]  # the only value of slot b
        assert last == ROWS[3]
        for place, (ids, slots), start, end in (
            (0, first, 1, -1),
            (1, second, 1, None),
            (2, third, 2, None),
        ):
            seen[place].add((tuple(ids[start:end]), tuple(slots[start:end])))
    assert seen == [values] * 3


def test_the_rate_is_of_slots():
    _, exchange = make()
    changed = [rows(found)[1] != ROWS[1] for found in draws(exchange, 0.3, 600)]
    # One draw in three gives the value that was there.
    assert np.mean(changed) == pytest.approx(0.3 * 2 / 3, abs=0.05)


def test_what_would_grow_too_long_stays():
    _, exchange = make(max_tokens=5)
    for found in draws(exchange, 0.99):
        assert found.lengths.max() <= 5
        assert set(rows(found)[0][0]) >= {2, 3}


def test_it_is_a_function_of_the_generator():
    _, exchange = make()
    one, other = (
        rows(exchange.exchange(0.5, np.random.default_rng(7))) for _ in range(2)
    )
    assert one == other
