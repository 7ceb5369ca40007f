"""A training as a whole, from a data file to a finished run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tensorflow as tf
import tiny
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import keras_slu
from keras_slu.data import read
from keras_slu.errors import InputError
from keras_slu.parsing.scoring import score_parser
from keras_slu.training.fit import train

HERE = Path(__file__).parent
FILES = {"recipe.yaml", "model.keras", "metrics.json", "README.md", "tensorboard"}
SCORES = ("overall_accuracy", "intent_accuracy", "slot_f1", "slot_f1_strict")


def test_a_finished_run_holds_what_it_should_and_no_more(tiny_run):
    names = {path.name for path in tiny_run.folder.iterdir()}
    assert names == FILES


def test_figures_are_those_on_file(tiny_run):
    text = (tiny_run.folder / "metrics.json").read_text()
    assert json.loads(text) == tiny_run.figures


def test_figures_are_what_the_protocol_asks_for(tiny_run):
    figures = tiny_run.figures
    assert figures["recipe"] == "tiny-corpus"
    assert figures["recipe_hash"] == tiny_run.recipe.digest()
    assert figures["seed"] == 1
    assert figures["seconds_per_epoch"] > 0
    assert 1 <= figures["cores"] <= os.cpu_count()
    assert figures["versions"]["tensorflow"] == tf.__version__
    assert figures["versions"]["keras_slu"] == keras_slu.__version__
    for split in ("dev", "test", "dev_raw_text", "test_raw_text"):
        assert figures[split]["utterances"] == tiny.SPLITS[split.split("_")[0]]
    for split in ("dev", "test"):
        for score in SCORES:
            assert 0.0 <= figures[split][score] <= 1.0


def test_accuracies_are_fractions_of_the_utterances(tiny_run):
    for split in ("dev", "test"):
        for score in ("overall_accuracy", "intent_accuracy"):
            right = tiny_run.figures[split][score] * tiny.SPLITS[split]
            assert right == pytest.approx(round(right), abs=1e-9)


def test_parameters_are_those_of_the_weights(tiny_run):
    weights = tiny.weights_of(tiny_run.folder).items()
    sizes = [w.size for name, w in weights if not name.startswith("optimizer")]
    assert tiny_run.figures["parameters"] == sum(sizes)


def test_the_history_has_every_epoch(tiny_run):
    history = tiny_run.figures["history"]
    assert len(history) == tiny_run.figures["epochs_trained"]
    training = tiny_run.recipe.training
    by_patience = tiny_run.figures["epochs"] + training.patience
    assert len(history) == min(by_patience, training.epochs)
    for logs in history:
        assert set(logs) >= {
            "loss",
            "seconds",
            "val_loss",
            "val_overall_accuracy",
            "val_intent_accuracy",
            "val_slot_f1",
        }
    losses = [logs["loss"] for logs in history]
    assert losses[-1] < losses[0]


def test_the_selected_epoch_is_the_best_on_dev(tiny_run):
    figures, history = tiny_run.figures, tiny_run.figures["history"]
    ranks = [(logs["val_overall_accuracy"], -logs["val_loss"]) for logs in history]
    selected = figures["epochs"] - 1
    assert ranks[selected] == max(ranks)
    # The weights on file are the ones that were scored then.
    assert figures["dev"]["overall_accuracy"] > 0.1
    for score in ("overall_accuracy", "intent_accuracy", "slot_f1"):
        assert figures["dev"][score] == history[selected][f"val_{score}"]


def test_the_run_alone_gives_the_scores_again(tiny_run, tiny_data):
    parser = keras_slu.load(tiny_run.folder)
    for split in ("dev", "test"):
        scores = score_parser(parser, read(tiny_data / f"{split}.jsonl"))
        assert scores["gold_tokens"].to_dict() == tiny_run.figures[split]
        assert scores["raw_text"].to_dict() == tiny_run.figures[f"{split}_raw_text"]


def scalars(folder):
    """The scalars of TensorBoard's files in a folder: tag to values by step."""
    events = EventAccumulator(str(folder), size_guidance={"tensors": 0}).Reload()
    return {
        tag: {
            event.step: float(tf.make_ndarray(event.tensor_proto))
            for event in events.Tensors(tag)
        }
        for tag in events.Tags()["tensors"]
    }


def test_tensorboard_shows_the_loss_and_the_three_scores(tiny_run):
    history = tiny_run.figures["history"]
    folder = tiny_run.folder / "tensorboard"
    shown = {
        "loss": scalars(folder / "train")["epoch_loss"],
        **{
            f"val_{name}": scalars(folder / "validation")[f"epoch_{name}"]
            for name in ("loss", "overall_accuracy", "intent_accuracy", "slot_f1")
        },
    }
    for name, values in shown.items():
        assert sorted(values) == list(range(len(history)))
        for epoch, logs in enumerate(history):
            assert values[epoch] == pytest.approx(logs[name], rel=1e-6)


def snapshot(folder):
    """Every file below a folder, and when it was written."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_a_finished_run_is_not_trained_again(tiny_run, tmp_path):
    before = snapshot(tiny_run.folder)
    # There are no data in this folder: nothing is even read.
    assert train(tiny_run.recipe, tmp_path, tiny_run.folder) == tiny_run.figures
    assert snapshot(tiny_run.folder) == before


@pytest.mark.parametrize("change", [{"seed": 2}, {"name": "other"}])
def test_another_recipe_in_a_finished_run_is_refused(tiny_run, tiny_data, change):
    before = snapshot(tiny_run.folder)
    with pytest.raises(InputError, match="another recipe or seed"):
        train(tiny_run.recipe.model_copy(update=change), tiny_data, tiny_run.folder)
    assert snapshot(tiny_run.folder) == before


def test_a_foreign_folder_is_refused(tiny_data, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match="holds no run"):
        train(tiny.make_recipe(), tiny_data, tmp_path)
    assert os.listdir(tmp_path) == ["thesis.txt"]


@pytest.mark.parametrize("split", tiny.SPLITS)
def test_faulty_data_write_nothing(tmp_path, split):
    data = tmp_path / "data"
    data.mkdir()
    tiny.write_tokenised(data)
    with open(data / f"{split}.jsonl", "a") as stream:
        stream.write('{"text": ["one", "two"], "slot": ["O"]}\n')
    with pytest.raises(InputError, match="2 words but 1 tags") as error:
        train(tiny.make_recipe(), data, tmp_path / "run")
    assert error.value.line == tiny.SPLITS[split] + 1
    assert os.listdir(tmp_path) == ["data"]


def run_script(name, *arguments):
    """Runs a script of this folder; gives its last line of output."""
    child = subprocess.run(
        [sys.executable, HERE / name, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert child.returncode == 0, child.stderr
    return child.stdout.splitlines()[-1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_a_run_that_was_killed_again_and_again_ends_as_an_undisturbed_one(
    tiny_run, tiny_data, tmp_path
):
    run = tmp_path / "run"
    ends = json.loads(run_script("killed_training.py", tiny_data, run))
    epochs = tiny_run.figures["epochs_trained"]
    [interrupted, in_an_epoch, before_the_state, in_the_best, before_metrics] = ends
    assert interrupted == [130, 0]
    assert in_an_epoch == [-9, 1]
    assert before_the_state == [9, 2]
    assert in_the_best[0] == 9 and 2 <= in_the_best[1] < epochs
    assert before_metrics == [9, epochs]

    figures = train(tiny_run.recipe, tiny_data, run)
    undisturbed, resumed = tiny.weights_of(tiny_run.folder), tiny.weights_of(run)
    assert resumed.keys() == undisturbed.keys()
    for name, weights in undisturbed.items():
        np.testing.assert_array_equal(resumed[name], weights, err_msg=name)

    def without_times(figures):
        figures = {**figures, "seconds_per_epoch": None}
        figures["history"] = [{**logs, "seconds": None} for logs in figures["history"]]
        return figures

    assert without_times(figures) == without_times(tiny_run.figures)
    names = {path.name for path in run.iterdir()}
    assert names == FILES
    for values in scalars(run / "tensorboard" / "validation").values():
        assert sorted(values) == list(range(epochs))


def test_two_replicas_give_the_weights_of_one(tiny_data, tmp_path):
    message = run_script("two_replicas.py", tiny_data, tmp_path)
    assert message.startswith("batches of 9 cannot be split between 2 replicas")
    assert sorted(os.listdir(tmp_path)) == ["mirrored", "one_device"]
    one, two = (tiny.weights_of(tmp_path / n) for n in ("one_device", "mirrored"))
    assert two.keys() == one.keys()
    for name, weights in one.items():
        np.testing.assert_allclose(two[name], weights, atol=1e-5, err_msg=name)
