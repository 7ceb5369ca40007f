"""`keras-slu evaluate`: scores printed and on file."""

import json
import os
import shutil
import sys

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


def test_a_report_is_written(trained, run, command, tmp_path):
    pytest.importorskip("jinja2")
    report = tmp_path / "report"
    data = trained.data / "test.jsonl"
    result = command("evaluate", run, data, "--report", report)
    assert result.code == 0, result.err.decode()
    assert f"Open {report / 'report.html'}" in result.out.decode()
    figures = json.loads((report / "report.json").read_text())
    scores = json.loads((run / "scores-data-test-jsonl.json").read_text())
    assert figures["scores"] == scores["raw_text"]
    assert figures["gold_tokens"] == scores["gold_tokens"]
    assert (figures["run"], figures["data"]) == ("run", str(data))
    # Most lamps of the tiny corpus are in none but one split.
    parts = figures["by_unknown_words"]
    assert parts["with"]["utterances"] + parts["without"]["utterances"] == 9
    assert parts["with"]["utterances"] > 0
    lines = (report / "errors.jsonl").read_text().splitlines()
    assert len(lines) == figures["wrong_utterances"]
    right = round(9 * figures["scores"]["overall_accuracy"])
    assert len(lines) == 9 - right
    assert "<title>run on " in (report / "report.html").read_text()


def test_a_folder_that_is_no_report_is_refused(
    trained, run, command, refused, tmp_path
):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("")
    before = sorted(os.listdir(run))
    result = command(
        "evaluate", run, trained.data / "dev.jsonl", "--report", tmp_path / "mine"
    )
    refused(result, tmp_path / "mine", "is no report", "--report")
    assert sorted(os.listdir(run)) == before
    assert os.listdir(tmp_path / "mine") == ["thesis.txt"]


def test_without_jinja2_nothing_is_written(
    trained, run, command, refused, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    before = sorted(os.listdir(run))
    report = tmp_path / "report"
    result = command("evaluate", run, trained.data / "dev.jsonl", "--report", report)
    refused(result, "jinja2", "pip install")
    assert sorted(os.listdir(run)) == before and not report.exists()


def test_scores_as_json_and_as_nothing(trained, run, command):
    data = trained.data / "dev.jsonl"
    result = command("evaluate", run, data, "--json")
    assert (result.code, result.err) == (0, b"")
    printed = json.loads(result.out)
    assert printed == json.loads((run / "scores-data-dev-jsonl.json").read_text())
    assert printed["raw_text"]["utterances"] == 12
    result = command("evaluate", run, data, "--quiet")
    assert (result.code, result.out, result.err) == (0, b"", b"")


def test_errors_like_a_recognisers_lower_the_scores(trained, run, command):
    def scores(*options):
        data = trained.data / "train.jsonl"
        result = command("evaluate", run, data, "--json", *options)
        assert result.code == 0, result.err.decode()
        return json.loads(result.out)

    clean = scores()
    noisy = scores("--noise", 0.4)
    assert (noisy["noise"], noisy["noise_seed"]) == (0.4, 1)
    for tokens in ("gold_tokens", "raw_text"):
        assert noisy[tokens]["slot_f1"] < clean[tokens]["slot_f1"]
    assert scores("--noise", 0.4) == noisy
    assert scores("--noise", 0.4, "--seed", 2) != noisy
    assert (run / "scores-data-train-jsonl-noise0.4.json").exists()
