"""TF Serving's JSON: both forms in and out, and everything that is not one."""

import json

import numpy as np
import pytest

from keras_slu.serving.rest import RestError
from keras_slu.serving.rest import read_inputs
from keras_slu.serving.rest import read_request
from keras_slu.serving.rest import write_answer

TEXT = {"text": (object, 1)}
IDS = {"token_ids": ("int32", 2)}
PAIR = {"text": (object, 1), "turns": ("int32", 1)}


def refused(function, *arguments):
    with pytest.raises(RestError) as refusal:
        function(*arguments)
    assert refusal.value.status == 400
    return refusal.value.message


def texts(form, values):
    return read_inputs(form, values, TEXT)["text"].tolist()


def test_the_signature_is_optional():
    assert read_request(b'{"inputs": 1}') == ("serving_default", "inputs", 1)
    body = b'{"signature_name": "", "inputs": 1}'
    assert read_request(body)[0] == "serving_default"
    body = b'{"signature_name": "token_ids", "instances": [[1]]}'
    assert read_request(body) == ("token_ids", "instances", [[1]])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"\xff\xfe\xfd",
        b'{"instances": [' + b"9" * 5000 + b"]}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_json(body):
    assert "JSON Parse error" in refused(read_request, body)


@pytest.mark.parametrize(
    "body, told",
    [
        (b"[]", "not a JSON object"),
        (b"{}", "exactly one"),
        (b'{"instances": [], "inputs": []}', "exactly one"),
        (b'{"signature_name": 1, "inputs": []}', "signature_name"),
    ],
)
def test_what_is_no_request(body, told):
    assert told in refused(read_request, body)


@pytest.mark.parametrize(
    "form, values",
    [
        ("instances", ["zoë", "\0😀"]),
        ("instances", [{"text": "zoë"}, {"text": "\0😀"}]),
        ("instances", [{"b64": "em/Dqw=="}, "\0😀"]),
        ("instances", [{"text": {"b64": "em/Dqw=="}}, {"text": "\0😀"}]),
        ("inputs", ["zoë", "\0😀"]),
        ("inputs", {"text": ["zoë", {"b64": "APCfmIA="}]}),
    ],
)
def test_every_form_of_two_texts(form, values):
    assert texts(form, values) == ["zoë".encode(), "\0😀".encode()]


def test_no_row_at_all_is_an_array_in_the_column_form():
    assert read_inputs("inputs", [], TEXT)["text"].shape == (0,)


@pytest.mark.parametrize(
    "form, values, told",
    [
        ("instances", "play", "list of at least one"),
        ("instances", [], "list of at least one"),
        ("instances", ["play", {"text": "play"}], "must not mix"),
        ("instances", [{"text": "play"}, {"txt": "play"}], "element: 1"),
        ("instances", [{"text": "play", "more": 1}], "only the keys: text"),
        ("instances", [["play"]], "valid strings"),
        ("instances", [1], "valid strings"),
        ("instances", [None], "valid strings"),
        ("instances", [{"b64": "***"}], "valid strings"),
        ("instances", [{"text": {"b64": 1}}], "valid strings"),
        ("instances", ["\ud800"], "valid strings"),
        ("inputs", "play", "depth 1"),
        ("inputs", {"b64": "AA=="}, "depth 1"),
        ("inputs", {}, "Received: none"),
        ("inputs", {"text": ["play"], "more": []}, "more, text"),
        ("inputs", {"txt": ["play"]}, "keys text"),
    ],
)
def test_texts_that_do_not_fit(form, values, told):
    assert told in refused(read_inputs, form, values, TEXT)


@pytest.mark.parametrize(
    "values, told",
    [
        ([[1], [2, 3]], "equal lengths"),
        ([[1], 2], "equal lengths"),
        ([1, 2], "depth 2"),
        ([[[1]]], "integers"),
        ([[True]], "integers"),
        ([[1.0]], "integers"),
        ([["1"]], "integers"),
        ([[2**31]], "range of int32"),
        ([[-(10**30)]], "range of int32"),
    ],
)
def test_ids_that_do_not_fit(values, told):
    assert told in refused(read_inputs, "inputs", values, IDS)


def test_ids():
    ids = read_inputs("instances", [[1, -2], [3, 0]], IDS)["token_ids"]
    assert ids.dtype == np.int32
    assert ids.tolist() == [[1, -2], [3, 0]]


def test_several_inputs_need_names():
    rows = [{"text": "a", "turns": 1}, {"text": "b", "turns": 2}]
    columns = {"text": ["a", "b"], "turns": [1, 2]}
    for form, values in (("instances", rows), ("inputs", columns)):
        found = read_inputs(form, values, PAIR)
        assert found["text"].tolist() == [b"a", b"b"]
        assert found["turns"].tolist() == [1, 2]
        assert "several inputs" in refused(read_inputs, form, ["a"], PAIR)


OUTPUTS = {
    "tokens": np.array([[b"zo\xc3\xab", b"\xff"], [b"b", b""]], object),
    "starts": np.array([[0, 4], [0, -1]], np.int32),
    "confidence": np.array([[1.0, 0.1], [1e-9, -1.0]], np.float32),
    "unknown": np.array([True, False]),
}


def test_an_answer_by_rows_and_by_columns():
    first = {
        "tokens": ["zoë", "\ufffd"],
        "starts": [0, 4],
        "confidence": [1.0, 0.1],
        "unknown": True,
    }
    second = {
        "tokens": ["b", ""],
        "starts": [0, -1],
        "confidence": [1e-9, -1.0],
        "unknown": False,
    }
    rows = json.loads(write_answer("instances", OUTPUTS))
    assert rows == {"predictions": [first, second]}
    columns = json.loads(write_answer("inputs", OUTPUTS))
    assert columns == {
        "outputs": {name: [first[name], second[name]] for name in OUTPUTS}
    }


def test_one_output_stands_bare():
    outputs = {"unknown": OUTPUTS["unknown"]}
    assert write_answer("instances", outputs) == '{"predictions": [true, false]}'
    assert write_answer("inputs", outputs) == '{"outputs": [true, false]}'


def test_floats_are_short_and_come_back_exactly():
    values = np.random.default_rng(1).random(2000, np.float32)
    answer = write_answer("inputs", {"p": values})
    back = np.array(json.loads(answer)["outputs"], np.float32)
    np.testing.assert_array_equal(back, values)
    assert len(answer) < 13 * len(values)


def test_what_is_no_number_is_written_as_tf_serving_does():
    values = np.array([np.nan, np.inf, -np.inf], np.float32)
    answer = write_answer("inputs", {"p": values})
    assert answer == '{"outputs": [NaN, Infinity, -Infinity]}'
