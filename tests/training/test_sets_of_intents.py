"""A run whose utterances have any number of intents, from data to Frames."""

from types import SimpleNamespace

import numpy as np
import pytest
import tiny

import keras_slu
from keras_slu.data import read
from keras_slu.errors import InputError
from keras_slu.evaluation import score_spans
from keras_slu.training.calibrate import calibrate_run
from keras_slu.training.fit import train
from keras_slu.training.growing import load_start
from keras_slu.training.prepare import prepare

MODEL = {"intent_head": "sigmoid", "dropout": 0.0}
TRAINING = {
    "epochs": 40,
    "optimizer": "adam",
    "learning_rate": 0.02,
    "schedule": "constant",
    "warmup_epochs": 0.0,
    "word_dropout": 0.0,
    "weight_averaging": None,
    "patience": None,
}


@pytest.fixture(scope="module")
def run(tiny_data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets") / "run"
    figures = train(tiny.make_recipe(MODEL, TRAINING), tiny_data, folder)
    parser = keras_slu.load(folder)
    return SimpleNamespace(folder=folder, figures=figures, parser=parser)


def test_the_classes_are_single_intents(run):
    assert run.parser.model.intents == ["dim", "leave", "play", "stop"]
    card = (run.folder / "README.md").read_text()
    assert "4 intents, any number of them at once" in card


def test_it_learns_sets(run, tiny_data):
    test = read(tiny_data / "test.jsonl")
    assert {len(utterance.intents) for utterance in test} == {1, 2}
    assert run.figures["test"]["majority"]["intent_accuracy"] < 0.5
    assert run.figures["test"]["intent_accuracy"] > 0.75
    frames = run.parser.parse([utterance.text for utterance in test])
    scores = score_spans(test, frames)
    assert scores.intent_accuracy == run.figures["test_raw_text"]["intent_accuracy"]


def test_the_calibration_is_fitted_and_saved(run):
    figures = run.figures["calibration"]
    saved = {w.name: float(w) for w in run.parser.model.calibration.weights}
    assert list(saved) == list(figures)[:5]
    for name, value in saved.items():
        assert value == pytest.approx(figures[name], rel=1e-6), name
    assert figures["intent_temperature"] != 1.0
    assert figures["unknown_margin"] == 0.0
    assert 0.0 <= figures["test"]["intent"]["brier"] < 0.25


def test_the_threshold_is_what_makes_intents_active(run, tiny_data):
    threshold = run.figures["calibration"]["intent_threshold"]
    texts = [utterance.text for utterance in read(tiny_data / "dev.jsonl")]
    frames = run.parser.parse(texts)
    for frame in frames:
        for intent in frame.intents:
            assert intent.active == (intent.probability >= np.float32(threshold))
    assert {len(frame.active_intents) for frame in frames} >= {1, 2}


def test_calibrating_again_changes_nothing(run, tiny_data):
    again = calibrate_run(run.folder, read(tiny_data / "dev.jsonl"))
    expected = {n: v for n, v in run.figures["calibration"].items() if n != "test"}
    assert again == expected


def test_it_grows_into_sets_only(run):
    recipe = tiny.make_recipe(MODEL, start=str(run.folder))
    assert load_start(run.folder, recipe)[0].intents == run.parser.model.intents
    with pytest.raises(InputError, match="`model.intent_head` sigmoid"):
        load_start(run.folder, tiny.make_recipe())


def test_data_without_any_intent_are_refused(tmp_path):
    for split in tiny.SPLITS:
        (tmp_path / f"{split}.jsonl").write_text('{"text": "play it"}\n')
    with pytest.raises(InputError, match="no utterance has an intent"):
        prepare(tiny.make_recipe(MODEL), tmp_path)
