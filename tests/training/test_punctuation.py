"""A punctuation training as a whole, on the embedded talks."""

import json
import os

import keras
import numpy as np
import pytest
import tiny

import keras_slu
from keras_slu.data.punctuated_text import read_punctuation
from keras_slu.errors import InputError
from keras_slu.evaluation.mark_scores import mark_scores
from keras_slu.training.punctuation import train
from keras_slu.training.punctuation_prepare import build_model
from keras_slu.training.punctuation_prepare import prepare
from keras_slu.training.punctuation_recipe import PunctuationRecipe

trains = pytest.mark.slow  # half a minute each: `make test-slow`

SPLITS = {"train": "train", "dev": "dev", "test": "test", "test_asr": "dev"}


def make_recipe(model=(), **more):
    return PunctuationRecipe.model_validate(
        {
            "task": "punctuation",
            "name": "talks",
            "data": {n: f"embedded:talks/{split}" for n, split in SPLITS.items()},
            "window": 16,
            "noise": 0.05,
            "model": {"embedding_dim": 8, "dim": 8, "num_heads": 2, **dict(model)},
            "training": {
                "epochs": 3,
                "batch_size": 8,
                "learning_rate": 0.1,
                "word_dropout": 0.2,
                "weight_averaging": 0.5,
            },
            **more,
        }
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    recipe, run = make_recipe({"r_drop": 0.5}), tmp_path_factory.mktemp("runs") / "a"
    return recipe, run, train(recipe, ".", run)


@trains
def test_a_finished_run_holds_what_it_should_and_no_more(finished):
    _, run, figures = finished
    assert {path.name for path in run.iterdir()} == {
        "recipe.yaml",
        "model.keras",
        "metrics.json",
        "README.md",
        "tensorboard",
    }
    assert json.loads((run / "metrics.json").read_text()) == figures


@trains
def test_figures_are_what_the_protocol_asks_for(finished):
    recipe, _, figures = finished
    assert figures["recipe_hash"] == recipe.digest()
    assert figures["epochs_trained"] == 3
    for split in ("dev", "test", "test_asr"):
        scores = figures[split]
        for of_mark in (scores, *(scores[mark] for mark in recipe.marks)):
            for name in ("precision", "recall", "f1"):
                assert 0.0 <= of_mark[name] <= 1.0
        words = read_punctuation(f"embedded:talks/{SPLITS[split]}", recipe.marks)
        assert scores["words"] == len(words)
        for mark in recipe.marks:
            assert scores[mark]["support"] == words.marks.count(mark)
        assert 0.0 <= scores["shifted_windows"]["agreement"] <= 1.0
    assert figures["dev"] == figures["test_asr"]
    selected = figures["history"][figures["epochs"] - 1]
    assert selected["val_f1"] == figures["dev"]["f1"]
    assert figures["history"][0]["loss"] > figures["history"][-1]["loss"]


@trains
def test_the_run_alone_gives_the_scores_again(finished):
    recipe, run, figures = finished
    punctuator = keras_slu.load(run)
    talks = read_punctuation("embedded:talks/test", recipe.marks)
    signs = {"": 0, ",": 1, ".": 2, "?": 3}
    found = [signs[word.mark] for word in punctuator.words([" ".join(talks.words)])]
    names = punctuator.model.marks
    gold = [names.index(mark) for mark in talks.marks]
    # "3.5" and the like have a mark inside, never behind.
    scores = mark_scores(gold, found, names)
    assert scores["f1"] == pytest.approx(figures["test"]["f1"])


@trains
def test_the_card_tells_the_scores(finished):
    _, run, figures = finished
    card = (run / "README.md").read_text()
    assert f"{100 * figures['test']['f1']:.1f}" in card
    assert figures["recipe_hash"] in card


class Stop(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 2:
            raise KeyboardInterrupt


@trains
def test_an_interrupted_training_ends_as_an_undisturbed_one(finished, tmp_path):
    recipe, run, figures = finished
    with pytest.raises(KeyboardInterrupt):
        train(recipe, ".", tmp_path / "b", callbacks=[Stop()])
    again = train(recipe, ".", tmp_path / "b")
    assert [logs["loss"] for logs in again["history"]] == [
        logs["loss"] for logs in figures["history"]
    ]
    undisturbed, resumed = tiny.weights_of(run), tiny.weights_of(tmp_path / "b")
    for name, weights in undisturbed.items():
        np.testing.assert_array_equal(resumed[name], weights, err_msg=name)
    # A finished run is not trained again, and is nobody else's.
    assert train(recipe, ".", run) == figures
    with pytest.raises(InputError, match="another recipe or seed"):
        train(recipe.model_copy(update={"seed": 2}), ".", run)


def test_faulty_data_write_nothing(tmp_path):
    (tmp_path / "dev.tsv").write_text("word\n")
    data = {"train": "embedded:talks/train", "dev": "dev.tsv"}
    with pytest.raises(InputError, match="no word, tab and mark"):
        train(make_recipe(data=data), tmp_path, tmp_path / "run")
    assert os.listdir(tmp_path) == ["dev.tsv"]


def test_a_mark_after_a_word_without_letters_goes_to_the_word_before(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("--\tCOMMA\none\tO\n-\tPERIOD\ndon't\tCOMMA\n...\tO\n")
    data = {"train": "a.tsv", "dev": "a.tsv"}
    prepared = prepare(make_recipe(data=data), tmp_path)
    assert prepared.pieces["dev"].marks.tolist() == [2, -1, 1]


@pytest.mark.parametrize("use", ["start", "static"])
def test_word_vectors_are_put_into_the_encoder(tmp_path, use):
    lines = ["everybody " + " ".join(["0.5"] * 8), "zebra " + " ".join(["1.5"] * 8)]
    (tmp_path / "vectors.txt").write_text("\n".join(lines))
    recipe = make_recipe(text={"word_vectors": {"path": "vectors.txt", "use": use}})
    prepared = prepare(recipe, tmp_path)
    embedding = build_model(recipe, prepared).encoder.embedding
    ids = prepared.vocabulary.ids(["everybody", "zebra"])
    vectors = np.array(embedding(ids[None]))[0, :, :8]
    np.testing.assert_allclose(vectors, [[0.5] * 8, [1.5] * 8])


def test_unknown_words_are_read_by_their_endings():
    vocabulary = prepare(make_recipe(text={"longest_ending": 3}), ".").vocabulary
    found = vocabulary.words[vocabulary.ids(["blorping"])[0] - 2]
    assert found == "\ting"


@pytest.mark.parametrize(
    "settings",
    [
        {"type": "tagger", "head": "crf"},
        {"encoder": "lstm", "interaction": "none", "causal": True},
        {"masked": False, "loss": "focal"},
    ],
)
def test_every_setting_reaches_the_model(settings):
    content = {"embedding_dim": 4, "dim": 8, **settings}
    recipe = make_recipe()
    recipe = PunctuationRecipe.model_validate(
        {**recipe.model_dump(), "model": content, "marks": ["PERIOD"]}
    )
    model = build_model(recipe, prepare(recipe, "."))
    config = {**model.get_config(), "encoder": None}
    for name, value in settings.items():
        if name not in ("type", "encoder"):
            assert config[name] == value
    assert config["window"] == 16 and model.marks == ["O", "PERIOD"]
    expected = "CausalEmbedder" if "encoder" in settings else "SelfAttentiveEmbedder"
    assert type(model.encoder).__name__ == expected


@pytest.mark.parametrize(
    "change, problem",
    [
        ({"marks": ["COMMA", "COMMA"]}, "once"),
        ({"marks": ["DASH"]}, "COMMA"),
        ({"model": {"interaction": "none", "masked": False}}, "Keep"),
        ({"model": {"causal": True}}, "encoder: lstm"),
        ({"model": {"head": "crf", "r_drop": 1.0}}, "leave out"),
        ({"model": {"dim": 12}}, "multiple"),
        ({"training": {"slot_exchange": 0.5}}, "for slots"),
    ],
)
def test_what_does_not_fit_is_refused(change, problem):
    content = {**make_recipe().model_dump(), **change}
    with pytest.raises(ValueError, match=problem):
        PunctuationRecipe.model_validate(content)
