"""`keras-slu query`: the same JSON lines as `predict`, from a server."""

import json

import pytest
from rest_server import FakeModel
from rest_server import running


@pytest.fixture(scope="module")
def address():
    with running(FakeModel()) as address:
        yield address


def texts_of(result):
    assert result.code == 0, result.err.decode()
    frames = [json.loads(line) for line in result.out.decode().splitlines()]
    for frame in frames:
        assert set(frame) == {"text", "intents", "slots", "is_unknown", "truncated"}
    return [frame["text"] for frame in frames]


def test_texts_as_arguments(address, command):
    result = command("query", address, "hey jude", "a 😀")
    assert texts_of(result) == ["hey jude", "a 😀"]
    assert json.loads(result.out.splitlines()[1])["slots"] == [
        {"name": "song", "value": "😀", "start": 2, "end": 3, "confidence": 0.5}
    ]


def test_lines_of_standard_input(address, command):
    result = command("query", address, "--batch", 2, stdin=b"one\n\nthree \xff\n")
    assert texts_of(result) == ["one", "", "three \ufffd"]


def test_a_model_of_another_name(address, command, refused):
    refused(command("query", address, "--name", "x", "hi"), address, "404", "x")


def test_no_server_is_told(command, refused):
    url = "http://127.0.0.1:1"
    refused(command("query", url, "hi"), f"{url}/v1/models/slu:predict", "no server")


def test_a_run_in_place_of_an_address_is_told(command, refused):
    refused(command("query", "runs/demo", "hi"), "runs/demo", "http://HOST:PORT")
