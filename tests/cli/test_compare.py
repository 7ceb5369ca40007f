"""`keras-slu compare`: what it prints of two runs, and what it refuses."""

import json
import shutil

import pytest

import keras_slu


@pytest.fixture(scope="module")
def runs(trained, tmp_path_factory):
    """The trained run, and a copy that has forgotten its intents."""
    folder = tmp_path_factory.mktemp("runs")
    shutil.copytree(trained.run, folder / "good")
    shutil.copytree(trained.run, folder / "poor")
    model = keras_slu.load(trained.run).model
    model.intent_logits.set_weights(
        [w * 0.0 for w in model.intent_logits.get_weights()]
    )
    model.save(folder / "poor" / "model.keras")
    return folder


def test_scores_tests_and_differences_are_printed(trained, runs, command):
    data = trained.data / "test.jsonl"
    result = command("compare", runs / "poor", runs / "good", data)
    assert result.code == 0, result.err.decode()
    shown = result.out.decode()
    assert "poor" in shown and "good" in shown and "overall accuracy" in shown
    assert "McNemar" in shown and "paired bootstrap" in shown
    assert "The runs differ on " in shown
    assert "(right):" in shown and "(wrong):" in shown


def test_json_is_all_of_it(trained, runs, command):
    data = trained.data / "test.jsonl"
    result = command("compare", runs / "poor", runs / "good", data, "--json")
    assert (result.code, result.err) == (0, b"")
    comparison = json.loads(result.out)
    assert comparison["data"] == str(data)
    assert list(comparison["runs"]) == ["poor", "good"]
    figures = json.loads((trained.run / "metrics.json").read_text())
    good = comparison["runs"]["good"]["scores"]
    assert good == figures["test_raw_text"]
    [test] = comparison["tests"]
    poor = comparison["runs"]["poor"]["scores"]
    # Its slots are untouched, its intents are all the same.
    assert poor["slot_f1"] == good["slot_f1"]
    assert poor["intent_accuracy"] < good["intent_accuracy"]
    gained = (
        test["intent_accuracy"]["only_second"] - test["intent_accuracy"]["only_first"]
    )
    assert gained / 9 == pytest.approx(test["intent_accuracy"]["difference"])
    changed = [
        difference["text"]
        for difference in comparison["differences"]
        if len({a["is_right"] for a in difference["answers"].values()}) == 2
    ]
    overall = test["overall_accuracy"]
    assert len(changed) == overall["only_first"] + overall["only_second"]


def test_runs_of_the_same_name_are_told_apart(trained, runs, command, tmp_path):
    shutil.copytree(runs / "poor", tmp_path / "good")
    data = trained.data / "dev.jsonl"
    result = command("compare", runs / "good", tmp_path / "good", data, "--json")
    names = [str(runs / "good"), str(tmp_path / "good")]
    assert list(json.loads(result.out)["runs"]) == names


def test_what_cannot_be_compared_is_told(trained, runs, command, refused, tmp_path):
    data = trained.data / "dev.jsonl"
    refused(command("compare", runs / "good", data), "one run", "two runs or more")
    twice = command("compare", runs / "good", runs / "good", data)
    refused(twice, runs / "good", "named twice")
    refused(command("compare", runs / "good", tmp_path, data), "no finished run")
    refused(command("compare", runs / "good", runs / "poor", "none"), "no such file")
