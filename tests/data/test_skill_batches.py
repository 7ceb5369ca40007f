"""Batches of one task each, by the formula, the same again for the same epoch."""

import numpy as np
import pytest

from keras_slu.data.examples import TextExample
from keras_slu.data.skill_batches import SkillBatches
from keras_slu.data.skill_batches import task_shares
from keras_slu.data.skill_rows import encode_examples
from keras_slu.data.skill_task import SkillTask
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces

PIECES = WordPieces([*SPECIAL, *(f"w{place}" for place in range(100))])
SIZES = (64, 36, 4)


def make_batches(alpha=1.0, batch_size=4, seed=1, max_pieces=16):
    """Two classifications and a tagging; no text is there twice."""
    numbers = iter(range(1000))
    tasks = []
    for place, size in enumerate(SIZES):
        texts = [" ".join(f"w{c}" for c in f"{next(numbers):03}") for _ in range(size)]
        if place < 2:
            task = SkillTask(f"t{place}", "classification", ("0", "1"), ("s1",))
            examples = [TextExample(text, None, "1") for text in texts]
        else:
            task = SkillTask(f"t{place}", "tagging", ("O",), ("s1",))
            examples = [Utterance(*join_words(text.split())) for text in texts]
        tasks.append(encode_examples(examples, task, PIECES, max_pieces))
    return SkillBatches(tasks, batch_size, seed, alpha)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_tasks_are_sampled_by_the_formula(alpha):
    powers = [size**alpha for size in SIZES]
    wanted = [power / sum(powers) for power in powers]
    assert task_shares(SIZES, alpha) == pytest.approx(wanted)
    batches = make_batches(alpha)
    tasks = [int(inputs["task"][0]) for inputs, _, _ in batches.batches(0)]
    assert len(tasks) == len(batches) == 26
    assert np.bincount(tasks) == pytest.approx(26 * np.array(wanted), abs=1)
    assert tasks != sorted(tasks)


def test_with_alpha_1_every_example_is_seen_once():
    seen = []
    for inputs, _, weights in make_batches().batches(0):
        assert (weights == 1).all() and len(set(inputs["task"])) == 1
        seen += [tuple(row) for row in inputs["pieces"]]
    assert len(set(seen)) == len(seen) == sum(SIZES)


def test_what_fills_a_batch_has_no_weight():
    batches = make_batches(batch_size=5)
    weights = np.concatenate([weight for _, _, weight in batches.batches(0)])
    assert len(batches) == 13 + 8 + 1 and len(weights) == 22 * 5
    assert set(weights) == {0.0, 1.0}


def test_an_epoch_is_a_function_of_seed_and_epoch():
    def rows(batches, epoch):
        return [inputs["pieces"].tolist() for inputs, _, _ in batches.batches(epoch)]

    batches = make_batches(0.5)
    first = rows(batches, 3)
    assert rows(batches, 4) != first
    assert rows(batches, 3) == first == rows(make_batches(0.5), 3)
    assert rows(make_batches(0.5, seed=2), 3) != first


def test_the_dataset_gives_the_epoch_of_the_attribute():
    batches = make_batches()
    batches.epoch = 2
    wanted = list(batches.batches(2))
    found = list(batches.dataset().as_numpy_iterator())
    assert len(found) == len(wanted)
    for (inputs, targets, weights), other in zip(found, wanted, strict=True):
        assert inputs.keys() == other[0].keys()
        for name in inputs:
            np.testing.assert_array_equal(inputs[name], other[0][name])
        np.testing.assert_array_equal(targets, other[1])
        np.testing.assert_array_equal(weights, other[2])


def test_padding():
    for inputs, targets, _ in make_batches(max_pieces=17).batches(0):
        is_tagging = inputs["task"][0] == 2
        width = 3 if is_tagging else 0
        assert inputs["words"].shape == targets.shape if is_tagging else (4, 1)
        assert inputs["words"].shape[1] == width
        assert inputs["second"].shape == (4, 0)
        assert inputs["pieces"].shape == inputs["segments"].shape
        assert {array.dtype for array in inputs.values()} == {np.dtype("int32")}


def test_padding_goes_to_no_more_than_the_model_reads():
    task = SkillTask("t", "classification", ("0", "1"), ("s1",))
    long = [TextExample("w1 " * 40, None, "1")]
    encoded = encode_examples(long, task, PIECES, 33)
    [(inputs, _, _)] = SkillBatches([encoded], 1, 1).batches(0)
    assert inputs["pieces"].shape == (1, 33)  # and not 36
