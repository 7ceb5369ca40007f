"""The calibration of a run: fitted on dev, saved, and in its Frames."""

import json
import os
import shutil
import zipfile
from random import Random

import h5py
import numpy as np
import pytest
import tiny

import keras_slu
from keras_slu.data.alignment import slot_spans
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.errors import InputError
from keras_slu.evaluation.calibration import brier
from keras_slu.evaluation.calibration import ece
from keras_slu.training.calibrate import calibrate_run

NUMBERS = (
    "intent_temperature",
    "slot_temperature",
    "unknown_threshold",
    "unknown_margin",
)


def utterance(words, tags, intents):
    text, tokens = join_words(words)
    return Utterance(text, tuple(tokens), tuple(slot_spans(tokens, tags)), intents)


@pytest.fixture(scope="module")
def dev():
    """Enough utterances to tell what one in a hundred is."""
    random = Random(5)
    draws = [tiny.draw(random) for _ in range(900)]
    return [utterance(words, tags, tuple(intents)) for words, tags, intents in draws]


@pytest.fixture(scope="module")
def unknown():
    random = Random(6)
    draws = [tiny.draw(random) for _ in range(100)]
    return [utterance(["sing", *words[1:]], tags, ()) for words, tags, _ in draws]


@pytest.fixture(scope="module")
def calibrated(tiny_run, dev, unknown, tmp_path_factory):
    """A copy of the run, calibrated anew: its `folder` and `figures`."""
    folder = tmp_path_factory.mktemp("calibrated") / "run"
    shutil.copytree(tiny_run.folder, folder)
    return folder, calibrate_run(folder, dev, unknown)


@pytest.fixture(scope="module")
def before(tiny_run):
    """The parser of the run as training left it."""
    return keras_slu.load(tiny_run.folder)


@pytest.fixture(scope="module")
def after(calibrated):
    """The parser of the run that was calibrated anew."""
    return keras_slu.load(calibrated[0])


def numbers_of(parser):
    numbers = parser.model.calibration.get_weights()
    return dict(zip(NUMBERS, map(float, numbers), strict=True))


def assert_numbers(figures, parser):
    saved = numbers_of(parser)
    for name in NUMBERS:
        assert saved[name] == pytest.approx(figures[name], rel=1e-6)


def test_training_calibrates_on_dev(tiny_run, before):
    figures = tiny_run.figures["calibration"]
    assert_numbers(figures, before)
    assert figures["intent_temperature"] != 1.0
    assert figures["slot_temperature"] != 1.0
    # A dozen utterances cannot tell what one in a hundred is.
    assert figures["unknown_threshold"] == figures["unknown_margin"] == 0.0
    assert set(figures) == {*NUMBERS, "dev", "test"}


def test_a_calibrated_run_is_saved_whole(tiny_run, calibrated, after):
    folder, figures = calibrated
    assert_numbers(figures, after)
    metrics = json.loads((folder / "metrics.json").read_text())
    assert metrics.pop("calibration") == figures
    figures = dict(tiny_run.figures)
    figures.pop("calibration")
    assert metrics == figures
    assert sorted(os.listdir(folder)) == sorted(os.listdir(tiny_run.folder))


def test_no_other_weight_moves(tiny_run, calibrated):
    folder, _ = calibrated
    before, after = (
        {n: w for n, w in tiny.weights_of(run).items() if "optimizer" not in n}
        for run in (tiny_run.folder, folder)
    )
    assert before.keys() == after.keys()
    moved = {n for n in before if not np.array_equal(before[n], after[n])}
    assert moved and all(name.startswith("calibration/") for name in moved)


def test_no_answer_moves(before, after, dev):
    texts = [utterance.text for utterance in dev]
    for old, new in zip(before.parse(texts), after.parse(texts), strict=True):
        assert new.active_intents == old.active_intents
        assert [(s.name, s.value) for s in new.slots] == [
            (s.name, s.value) for s in old.slots
        ]


def spans_of(item):
    return {(slot.name, slot.start, slot.end) for slot in item.slots}


def test_the_figures_are_those_of_the_saved_runs_frames(calibrated, after, dev):
    figures = calibrated[1]
    frames = after.parse([utterance.text for utterance in dev])
    confidence, right = [], []
    for frame, gold in zip(frames, dev, strict=True):
        for slot in frame.slots:
            confidence.append(slot.confidence)
            right.append((slot.name, slot.start, slot.end) in spans_of(gold))
    assert 0.2 < np.mean(right) < 1.0
    slot = figures["dev"]["slot"]
    assert slot["ece"] == pytest.approx(ece(confidence, right), abs=2e-3)
    assert slot["brier"] == pytest.approx(brier(confidence, right), abs=1e-4)
    share = np.mean([frame.is_unknown for frame in frames])
    assert figures["dev"]["called_unknown"] == pytest.approx(share)


def test_the_slot_temperature_is_the_likeliest(calibrated, before, dev):
    calibration = before.model.calibration
    numbers = calibration.get_weights()
    calibration.set_weights(np.array([1.0, 1.0, 0.0, 0.0]))
    frames = before.parse([utterance.text for utterance in dev])
    calibration.set_weights(numbers)
    found = [
        (slot.confidence, (slot.name, slot.start, slot.end) in spans_of(gold))
        for frame, gold in zip(frames, dev, strict=True)
        for slot in frame.slots
    ]
    confidence, right = np.clip(np.array(found).T, 1e-7, 1 - 1e-7)
    logit = np.log(confidence / (1 - confidence))

    def loss(temperature):
        sign = np.where(right > 0.5, 1, -1)
        return np.log1p(np.exp(-sign * logit / temperature)).mean()

    best = loss(calibrated[1]["slot_temperature"])
    assert best <= min(map(loss, np.linspace(0.3, 5.0, 95))) + 1e-3
    assert best < loss(1.0)


def test_unknown_ones_are_found_and_right_ones_kept(calibrated, after, unknown):
    figures = calibrated[1]
    assert figures["dev"]["right_called_unknown"] <= 0.05
    outside = figures["unknown"]
    assert outside["utterances"] == len(unknown)
    frames = after.parse([utterance.text for utterance in unknown])
    share = np.mean([frame.is_unknown for frame in frames])
    assert share == pytest.approx(outside["called_unknown"])
    assert share > 0.1


def test_calibrating_again_changes_nothing(calibrated, dev, unknown):
    folder, figures = calibrated
    assert calibrate_run(folder, dev, unknown) == figures


def test_a_run_from_before_there_was_calibration_loads(calibrated, tmp_path):
    with zipfile.ZipFile(calibrated[0] / "model.keras") as archive:
        archive.extractall(tmp_path)
    with h5py.File(tmp_path / "model.weights.h5", "a") as weights:
        del weights["calibration"]
    with zipfile.ZipFile(tmp_path / "model.keras", "w") as archive:
        for path in tmp_path.rglob("*"):
            if path.is_file() and path.suffix != ".keras":
                archive.write(path, path.relative_to(tmp_path))
    parser = keras_slu.load(tmp_path)
    assert list(numbers_of(parser).values()) == [1.0, 1.0, 0.0, 0.0]


def test_data_of_other_intents_are_refused_and_nothing_is_written(calibrated):
    folder, _ = calibrated
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    with pytest.raises(InputError, match="none of 1 utterances has an intent"):
        calibrate_run(folder, [Utterance("sing", intents=("sing",))])
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_run_without_metrics_is_refused(tiny_run, tmp_path):
    shutil.copy(tiny_run.folder / "model.keras", tmp_path)
    with pytest.raises(InputError, match="no metrics.json"):
        calibrate_run(tmp_path, [Utterance("play", intents=("play",))])
    assert os.listdir(tmp_path) == ["model.keras"]
