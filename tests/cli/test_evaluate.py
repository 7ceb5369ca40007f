"""`keras-slu evaluate`: scores printed and on file."""

import json
import os
import shutil

import pytest


@pytest.fixture
def run(trained, tmp_path):
    """A copy of the trained run, to write into."""
    return shutil.copytree(trained.run, tmp_path / "run")


def test_scores_are_those_of_the_training(trained, run, command):
    result = command("evaluate", run, trained.data / "test.jsonl")
    assert result.code == 0, result.err.decode()
    path = run / "scores-data-test-jsonl.json"
    scores = json.loads(path.read_text())
    figures = json.loads((run / "metrics.json").read_text())
    assert scores["data"] == str(trained.data / "test.jsonl")
    assert scores["gold_tokens"] == figures["test"]
    assert scores["raw_text"] == figures["test_raw_text"]
    shown = result.out.decode()
    assert "gold tokens" in shown and "raw text" in shown
    assert f"{100 * figures['test']['overall_accuracy']:.2f}" in shown
    assert f"Written to {path}." in shown


def test_scores_go_where_they_are_asked_to(trained, run, command, tmp_path):
    before = sorted(os.listdir(run))
    output = tmp_path / "new" / "scores.json"
    result = command("evaluate", run, trained.data / "dev.jsonl", "--output", output)
    assert result.code == 0, result.err.decode()
    assert json.loads(output.read_text())["gold_tokens"]["utterances"] == 12
    assert sorted(os.listdir(run)) == before


def test_other_formats_and_unseen_labels_are_scored(run, command, tmp_path):
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "seq.in").write_text("play the red lamp1\nfly away\n")
    (folder / "seq.out").write_text("O O B-kind B-thing\nO B-where\n")
    (folder / "label").write_text("play\nfly\n")
    result = command("evaluate", run, folder)
    assert result.code == 0, result.err.decode()
    [path] = run.glob("scores-*.json")
    scores = json.loads(path.read_text())["gold_tokens"]
    assert scores["utterances"] == 2
    assert scores["intent_accuracy"] <= 0.5  # fly is nothing it knows


def test_faulty_data_are_told(run, command, refused, tmp_path):
    before = sorted(os.listdir(run))
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "play"}\n{"text": 5}\n')
    refused(command("evaluate", run, data), f"{data}:2:")
    cut = '{"text": "play it", "slots": [{"name": "x", "start": 1, "end": 4}]}\n'
    data.write_text(cut)
    refused(command("evaluate", run, data), f"{data}:1:", "spans 1:4")
    refused(command("evaluate", run, tmp_path / "none"), "no such file")
    refused(command("evaluate", run, "embedded:away/dev"), "embedded:home/train")
    assert sorted(os.listdir(run)) == before


def test_a_damaged_run_is_told(trained, run, command, refused):
    before = sorted(os.listdir(run))
    path = run / "model.keras"
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 9] = b"\xff\x00" * 4 + b"\xff"
    path.write_bytes(content)
    data = trained.data / "dev.jsonl"
    refused(command("evaluate", run, data), path, "cannot be loaded")
    assert sorted(os.listdir(run)) == before


def test_a_folder_for_the_output_is_told(trained, run, command, refused, tmp_path):
    data = trained.data / "dev.jsonl"
    result = command("evaluate", run, data, "--output", tmp_path)
    refused(result, tmp_path, "is a folder")
