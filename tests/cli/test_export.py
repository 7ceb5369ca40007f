"""`keras-slu export`: what the command passes on, and what it says."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import keras_slu


def test_an_export_answers_as_its_run(trained, command, tmp_path):
    arguments = ("export", trained.run, "--format", "saved_model", "--output", tmp_path)
    result = command(*arguments, "--version", "4")
    assert result.code == 0, result.err.decode()
    place = tmp_path / trained.run.name / "4"
    assert f"The model is in {place} (" in result.out.decode()
    text = "stop the red lamp1!"
    frame = keras_slu.load(place).parse(text)
    expected = keras_slu.load(trained.run).parse(text)
    assert frame.active_intents == expected.active_intents == ("stop",)
    assert [(s.name, s.value) for s in frame.slots] == [
        (s.name, s.value) for s in expected.slots
    ]

    again = command(*arguments, "--version", "4")
    assert again.code == 2
    assert again.err.decode().startswith(f"error: {place}: exists already. ")


def test_a_folder_that_is_no_run_is_told(tmp_path, command, refused):
    result = command(
        "export", tmp_path, "--format", "saved_model", "--output", tmp_path
    )
    refused(result, tmp_path, "is no finished run")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def converted(monkeypatch):
    """What the command asks the LiteRT export for."""
    from keras_slu.export import litert

    asked = SimpleNamespace()

    def export_litert(run, path, **settings):
        vars(asked).update(run=run, path=path, settings=settings)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(bytes(1_250_000))

    monkeypatch.setattr(litert, "export_litert", export_litert)
    return asked


def test_litert_takes_all_settings(converted, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = command(
        *("export", "runs/home", "--format", "litert", "--input", "token_ids"),
        *("--max-tokens", "20", "--max-chars", "90", "--quantize", "int8"),
    )
    assert result.code == 0, result.err.decode()
    assert (converted.run, converted.path) == (
        Path("runs/home"),
        Path("tflite/home.tflite"),
    )
    assert converted.settings == {
        "input": "token_ids",
        "max_tokens": 20,
        "max_chars": 90,
        "quantize": "int8",
        "task": None,
    }
    assert "The model is in tflite/home.tflite (1.2 MB)." in result.out.decode()


def test_one_task_of_many_has_a_name_of_its_own(
    converted, command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    result = command("export", "runs/many", "--format", "litert", "--task", "ner")
    assert result.code == 0, result.err.decode()
    assert converted.path == Path("tflite/many-ner.tflite")
    assert converted.settings["task"] == "ner"


def test_litert_has_no_versions(converted, command, refused, tmp_path):
    result = command("export", tmp_path, "--format", "litert", "--version", "2")
    refused(result, "no version")
    assert not vars(converted)
