"""Learning from a trained model: its soft labels, and what training makes of them."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import tiny
from pydantic import ValidationError

import keras_slu
from keras_slu.data.batches import TrainingBatches
from keras_slu.data.encoding import LabelSet
from keras_slu.errors import InputError
from keras_slu.training.distillation import with_soft_labels
from keras_slu.training.fit import train
from keras_slu.training.prepare import prepare
from keras_slu.training.recipe import Recipe


def make_recipe(teacher, weight=2.0, **more):
    distillation = {"teacher": str(teacher), "weight": weight}
    return tiny.make_recipe(distillation=distillation, **more)


def softmax(logits):
    powers = np.exp(np.array(logits, "float64"))
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.fixture(scope="module")
def prepared(tiny_run, tiny_data):
    return prepare(make_recipe(tiny_run.folder), tiny_data)


def test_the_labels_are_what_the_teacher_answers(tiny_run, prepared):
    teacher = keras_slu.load(tiny_run.folder).model
    examples = prepared.examples["train"]
    rows = np.array([0, 3, 7])
    inputs = {"token_ids": examples.token_ids[rows]}  # the same words have the same ids
    outputs = teacher(inputs, training=False)
    soft = examples.soft
    is_word = (inputs["token_ids"] != 0)[..., None]
    for name, expected in (
        ("soft_intent", softmax(outputs["intent"])),
        ("soft_slots", softmax(outputs["slots"]) * is_word),
    ):
        np.testing.assert_allclose(soft[name][rows], expected, atol=1e-5)
    assert set(soft["soft_weight"].tolist()) == {2.0}
    assert not prepared.examples["dev"].soft


def test_labels_stand_where_ours_do(tiny_run, tiny_data, prepared):
    labels, examples = prepared.labels, prepared.examples["train"]
    turned = LabelSet(labels.intents[::-1], ["O", *labels.tags[:0:-1]])
    recipe = make_recipe(tiny_run.folder)
    utterances = prepared.utterances["train"]
    found = with_soft_labels(recipe, tiny_data, utterances, examples, turned).soft
    np.testing.assert_array_equal(
        found["soft_intent"], examples.soft["soft_intent"][:, ::-1]
    )
    places = [labels.tags.index(tag) for tag in turned.tags]
    np.testing.assert_array_equal(
        found["soft_slots"], examples.soft["soft_slots"][..., places]
    )


def test_a_teacher_of_other_labels_is_refused(tiny_run, tiny_data, prepared):
    labels = SimpleNamespace(
        intents=[*prepared.labels.intents, "sing"],
        tags=prepared.labels.tags,
        intent_head="softmax",
    )
    recipe = make_recipe(tiny_run.folder)
    given = prepared.utterances["train"], prepared.examples["train"]
    with pytest.raises(InputError, match="the intents sing"):
        with_soft_labels(recipe, tiny_data, *given, labels)
    labels.intent_head = "sigmoid"
    with pytest.raises(InputError, match="`intent_head` is softmax"):
        with_soft_labels(recipe, tiny_data, *given, labels)


def test_batches_hold_them_row_by_row(prepared):
    examples = prepared.examples["train"]
    batches = TrainingBatches(examples, 7, seed=1)
    for inputs, labels, weight in batches.batches(0):
        time = inputs["token_ids"].shape[1]
        assert labels["soft_slots"].shape == (7, time, len(prepared.labels.tags))
        is_word = inputs["token_ids"] != 0
        sums = labels["soft_slots"].sum(axis=-1)[weight == 1]
        np.testing.assert_allclose(sums, is_word[weight == 1], atol=1e-4)
        assert labels["soft_weight"].tolist() == (2.0 * weight).tolist()
    # What `tf.data` is told of them is true.
    assert len(list(batches.dataset())) == len(batches)


def test_an_utterance_with_an_exchanged_slot_has_no_soft_labels(prepared):
    examples = prepared.examples["train"]

    class Exchange:
        def exchange(self, rate, random):
            ids = examples.token_ids.copy()
            ids[0, 0] += 1
            return replace(examples, token_ids=ids)

    batches = TrainingBatches(
        examples, len(examples), 1, exchange=Exchange(), exchange_rate=0.5
    )
    [(inputs, labels, _)] = batches.batches(0)
    without = inputs["token_ids"][labels["soft_weight"] == 0]
    assert len(without) == 1
    assert without[0, 0] == examples.token_ids[0, 0] + 1


@pytest.mark.slow  # two trainings
def test_a_recipe_with_a_teacher_trains(tiny_run, tiny_data, tmp_path):
    training = {"epochs": 1, "patience": None, "slot_exchange": 0.3}
    both = {}
    for weight in (1e-6, 2.0):
        recipe = make_recipe(tiny_run.folder, weight, training=training)
        both[weight] = train(recipe, tiny_data, tmp_path / str(weight))["history"]
    # The teacher's part of the loss is there, and no more is asked of dev.
    assert both[2.0][0]["loss"] > 1.5 * both[1e-6][0]["loss"]
    assert both[2.0][0].keys() == both[1e-6][0].keys()


@pytest.mark.parametrize(
    "more, part",
    [({"start": "b"}, "Keep one"), ({"model": {"type": "sha_lrt"}}, "no history")],
)
def test_settings_that_cannot_go_together_are_refused(more, part):
    content = {"name": "x", "data": {"train": "a", "dev": "b"}, **more}
    with pytest.raises(ValidationError, match=part):
        Recipe.model_validate({**content, "distillation": {"teacher": "c"}})
