"""`keras-slu predict`: one JSON object a text, whatever the text is."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import keras_slu

COMMAND = Path(sys.executable).with_name("keras-slu")


@pytest.fixture(scope="module")
def parser(trained):
    return keras_slu.load(trained.run)


@pytest.fixture
def predict(trained, parser, command, monkeypatch):
    """`keras-slu predict` of the trained run, which is loaded only once."""
    monkeypatch.setattr(keras_slu, "load", lambda run: parser)
    return lambda *arguments, **stdin: command(
        "predict", trained.run, *arguments, **stdin
    )


def frames(result):
    assert result.code == 0, result.err.decode()
    assert result.err == b""
    lines = result.out.decode().split("\n")
    assert lines.pop() == ""
    return [json.loads(line) for line in lines]


def test_texts_as_arguments(predict):
    texts = ["play the red lamp1!", "", "stop the blue lamp2 of aunt mary"]
    found = frames(predict(*texts))
    assert [frame["text"] for frame in found] == texts
    assert set(found[0]) == {"text", "intents", "slots", "is_unknown", "truncated"}
    for frame in found:
        for slot in frame["slots"]:
            value = frame["text"][slot["start"] : slot["end"]]
            assert value == slot["value"]


def test_what_was_learned_is_found(trained, command):
    [frame] = frames(command("predict", trained.run, "stop the red lamp1!"))
    assert frame["intents"][0]["name"] == "stop"
    assert {slot["name"]: slot["value"] for slot in frame["slots"]}["kind"] == "red"


def test_lines_of_standard_input(predict):
    stdin = b"play it\r\n\nstop\x0bthe\xc2\x85lamp\nlast"
    found = frames(predict(stdin=stdin))
    texts = ["play it", "", "stop\x0bthe\x85lamp", "last"]
    assert [frame["text"] for frame in found] == texts


def test_the_batch_changes_nothing(predict):
    stdin = b"play it\nstop the red lamp1\ndim\n"
    together = frames(predict(stdin=stdin))
    apart = frames(predict("--batch", "1", stdin=stdin))
    for one, other in zip(together, apart, strict=True):
        assert one["text"] == other["text"]
        assert [s["value"] for s in one["slots"]] == [
            s["value"] for s in other["slots"]
        ]


def test_no_input_is_no_output(predict):
    assert frames(predict()) == []


def test_other_scripts_stay_readable(predict):
    text = "play 听歌 «Zoë» 😀 שלום"
    result = predict(text)
    assert text.encode() in result.out
    assert frames(result)[0]["text"] == text


def test_bytes_that_are_no_text_become_replacements(predict):
    found = frames(predict(stdin=b"play \xff it \xe5\x90\n\0\n"))
    assert [frame["text"] for frame in found] == ["play \ufffd it \ufffd", "\0"]


def test_an_argument_that_is_no_text_is_still_valid_json(predict):
    # So Python hands over an argument of other bytes.
    result = predict("play \udcff")
    assert b"\\udcff" in result.out
    assert frames(result)[0]["text"] == "play \udcff"


def test_a_very_long_text_is_cut_and_says_so(predict):
    found = frames(predict("play " * 10_000, "play"))
    assert [frame["truncated"] for frame in found] == [True, False]


def test_a_text_that_looks_like_an_option(predict):
    found = frames(predict("--", "--help"))
    assert [frame["text"] for frame in found] == ["--help"]


def test_a_fresh_process_parses_with_a_moved_run_until_its_reader_has_gone(
    trained, parser, tmp_path
):
    shutil.copytree(trained.run, tmp_path / "moved here")
    text = "stop the red lamp1!"
    (tmp_path / "texts").write_text(f"{text}\n" * 3000)  # more than a pipe holds
    with open(tmp_path / "texts") as stdin:
        child = subprocess.Popen(
            [COMMAND, "predict", "moved here"],
            cwd=tmp_path,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    with child, child.stderr:
        frame = json.loads(child.stdout.readline())
        child.stdout.close()
        assert child.stderr.read().decode() == ""
        assert child.wait(timeout=60) == 1
    slots = [(slot["name"], slot["value"]) for slot in frame["slots"]]
    assert slots == [(slot.name, slot.value) for slot in parser.parse(text).slots]


def test_a_folder_without_a_run_is_told(tmp_path, command, refused):
    refused(command("predict", tmp_path, "hi"), tmp_path, "is no finished run")


def test_a_damaged_run_is_told(tmp_path, trained, command, refused):
    content = (trained.run / "model.keras").read_bytes()
    path = tmp_path / "model.keras"
    path.write_bytes(content[: len(content) // 2])
    refused(command("predict", tmp_path, "hi"), path, "cannot be loaded")
    assert os.listdir(tmp_path) == ["model.keras"]
