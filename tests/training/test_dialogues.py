"""A dialogue model trained end to end: its history, its scores, its run."""

import json

import numpy as np
import pytest

import keras_slu
from keras_slu.data import read
from keras_slu.errors import InputError
from keras_slu.training.fit import train
from keras_slu.training.histories import with_prompts
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import prepare
from keras_slu.training.recipe import Recipe

trains = pytest.mark.slow  # a minute: `make test-slow`

MODEL = {
    "type": "sha_lrt",
    "embedding_dim": 8,
    "dim": 16,
    "num_layers": 2,
    "refine_after": [1],
    "num_heads": 4,
    "max_history": 20,
}


def write_dialogues(folder):
    """In each, the second turn asks again for what the first one did."""
    random = np.random.default_rng(0)
    for split, size in (("train", 40), ("dev", 12), ("test", 9)):
        with open(folder / f"{split}.jsonl", "w") as stream:
            for _ in range(size):
                verb = random.choice(["play", "stop"])
                things = random.choice(["jude", "rome", "lamp"], 2)
                turns = [
                    turn("user", [verb, things[0]], ["O", "B-thing"], verb),
                    turn("system", ["Sure", "thing"]),
                    turn("user", ["also", things[1]], ["O", "B-thing"], verb),
                ]
                print(json.dumps({"turns": turns}), file=stream)


def turn(speaker, tokens, tags=None, verb=None):
    said = {"speaker": speaker, "tokens": [str(token) for token in tokens]}
    if tags:
        said |= {"tags": tags, "intent": str(verb), "acts": [verb.upper(), "ASK"]}
    return said


def recipe(**changes):
    content = {
        "name": "tiny-dialogues",
        "data": {split: f"{split}.jsonl" for split in ("train", "dev", "test")},
        "model": MODEL,
        "training": {
            "epochs": 12,
            "batch_size": 8,
            "optimizer": "adam",
            "learning_rate": 0.01,
        },
        **changes,
    }
    return Recipe.model_validate(content)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dialogues")
    write_dialogues(folder)
    return folder


@pytest.fixture(scope="module")
def run(folder):
    train(recipe(), folder, folder / "run")
    return folder / "run"


@trains
def test_what_only_history_tells_is_learned(run):
    figures = json.loads((run / "metrics.json").read_text())
    assert figures["test"]["intent_accuracy"] > 0.9
    assert sorted(figures["test_by_turn"]) == ["1", "2"]
    assert figures["test_by_turn"]["2"]["intent_accuracy"] > 0.9
    assert figures["test_uncoordinated_tags"] == 0
    session = keras_slu.load(run).dialogue()
    for verb in ("play", "stop"):
        session.state = None
        assert session.parse(f"{verb} jude").active_intents == (verb,)
        assert session.parse("also rome").active_intents == (verb,)


@trains
def test_history_can_be_an_earlier_runs_own_results(folder, run):
    gold = prepare(recipe(), folder).examples["train"]
    theirs = prepare(recipe(history=str(run)), folder).examples["train"]
    for name in ("history_ids", "history_turns"):
        np.testing.assert_array_equal(theirs.history[name], gold.history[name])
    known = keras_slu.load(run).answers_of(read(folder / "train.jsonl"))
    results = theirs.history["history_results"]
    for place in range(0, len(known), 2):
        intent = ["play", "stop"].index(known[place]["intents"][0])
        assert results[place + 1, 0] == intent
        assert results[place, 0] == 0
    with pytest.raises(InputError, match="no finished run"):
        prepare(recipe(history="nowhere"), folder)


def test_a_recipe_becomes_a_model(folder):
    model = build_model(recipe(), prepare(recipe(), folder))
    assert model.max_history == 20 and model.intents == ["play", "stop"]


def test_acts_can_be_the_intents(folder):
    prepared = prepare(
        recipe(acts_as_intents=True, model={**MODEL, "intent_head": "sigmoid"}), folder
    )
    assert prepared.labels.intents == ["ASK", "PLAY", "STOP"]
    assert set(prepared.examples["train"].history["history_results"][1]) <= {0, 1, 3, 5}


def test_what_the_system_says_joins_history_and_words(folder):
    model = {**MODEL, "system_turns": True}
    prepared = prepare(recipe(model=model), folder)
    assert "thing" in prepared.vocabulary.words
    assert "thing" not in prepare(recipe(), folder).vocabulary.words
    heard = prepared.examples["train"].history["history_turns"]
    assert heard.max() == 2
    assert (
        with_prompts(prepared.utterances["train"], recipe().model)
        == (prepared.utterances["train"])
    )


def test_models_without_history_take_the_same_data(folder):
    prepared = prepare(recipe(model={"type": "lrt", "num_heads": 2}), folder)
    assert prepared.examples["train"].history == {}
    with pytest.raises(ValueError, match="take one"):
        recipe(model={"type": "lrt"}, history="run")
