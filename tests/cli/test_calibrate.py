"""`keras-slu calibrate`: a run calibrated anew, and faults told in one line."""

import json
import shutil

import pytest


@pytest.fixture(scope="module")
def run(trained, tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibrate") / "run"
    shutil.copytree(trained.run, folder)
    return folder


def snapshot(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_it_calibrates_and_shows_what_came_of_it(trained, run, command, tmp_path):
    unknown = tmp_path / "unknown.txt"
    unknown.write_text("is it cold\n\nwhat is love\n")
    data = trained.data / "test.jsonl"
    result = command("calibrate", run, data, "--unknown", unknown)
    assert result.code == 0, result.err.decode()
    figures = json.loads((run / "metrics.json").read_text())["calibration"]
    shown = result.out.decode()
    assert f"temperature {figures['intent_temperature']:.3f}" in shown
    assert f"temperature {figures['slot_temperature']:.3f}" in shown
    assert f"-> {figures['dev']['slot']['ece']:.4f}" in shown
    assert f"AUROC {figures['unknown']['auroc']:.4f}" in shown
    assert figures["unknown"]["utterances"] == 2
    assert str(run) in shown


def test_unknown_ones_may_be_labelled_data(trained, run, command):
    data = trained.data / "test.jsonl"
    result = command("calibrate", run, data, "--unknown", trained.data / "dev.jsonl")
    assert result.code == 0, result.err.decode()
    figures = json.loads((run / "metrics.json").read_text())["calibration"]
    assert figures["unknown"]["utterances"] == 12


def test_faults_are_told_and_write_nothing(trained, run, command, refused, tmp_path):
    empty, missing = tmp_path / "empty.txt", tmp_path / "missing.txt"
    empty.write_text(" \n")
    data = trained.data / "test.jsonl"
    before = snapshot(run)
    refused(command("calibrate", run, data, "--unknown", empty), empty, "no text")
    refused(command("calibrate", run, data, "--unknown", missing), missing)
    refused(command("calibrate", run, missing), missing)
    refused(command("calibrate", tmp_path, data), tmp_path, "no finished run")
    assert snapshot(run) == before
