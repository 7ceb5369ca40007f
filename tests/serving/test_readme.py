"""The calls in saved_models/README.md are answered, and as it shows."""

import json
import re
import shlex
import sys
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest
import tensorflow as tf
from rest_server import running
from toy_export import Toy
from toy_export import write_toy

from keras_slu.serving.model import load_served

README = Path(__file__).parents[2] / "saved_models" / "README.md"
NAME = "han-snips-seed1"


def blocks():
    """The fenced blocks of the README: language and content, in order."""
    return re.findall(r"```(\w+)\n(.*?)```", README.read_text("utf-8"), re.DOTALL)


def calls():
    """Each curl command, with the answer that stands below it or `None`."""
    found = blocks()
    for (language, command), (following, answer) in zip(
        found, [*found[1:], ("", "")], strict=True
    ):
        if language == "sh":
            yield shlex.split(command), answer if following == "json" else None


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports") / "1"
    write_toy(folder)
    with running(load_served(folder, NAME), name=NAME) as address:
        yield address


def shape(value):
    """The form of JSON, less its values: keys and lists, one of each kind."""
    if isinstance(value, dict):
        return {name: shape(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shape(value[0])]
    return float if isinstance(value, float) else type(value)


@pytest.mark.parametrize("command, shown", calls())
def test_a_call(address, command, shown):
    url = command[-1].replace("http://127.0.0.1:8501", address)
    body = command[2].encode() if "-d" in command else None
    with urllib.request.urlopen(urllib.request.Request(url, body)) as response:
        answer = json.loads(response.read())
    if shown is not None:
        assert shape(answer) == shape(json.loads(shown))


def test_the_grpc_call(monkeypatch, capsys):
    """grpc is replaced: what is checked are the messages and the code."""
    pytest.importorskip("tensorflow_serving")
    from tensorflow_serving.apis import predict_pb2

    requests = []

    class Stub:
        def __init__(self, channel):
            assert channel.address == "127.0.0.1:8500"

        def Predict(self, request, timeout):
            sent = predict_pb2.PredictRequest.FromString(request.SerializeToString())
            requests.append(sent)
            text = tf.make_ndarray(sent.inputs["text"])
            response = predict_pb2.PredictResponse()
            for name, value in Toy().of_text(tf.constant(text)).items():
                response.outputs[name].CopyFrom(tf.make_tensor_proto(value))
            return response

    class Channel(SimpleNamespace):
        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    grpc = SimpleNamespace(insecure_channel=lambda at: Channel(address=at))
    services = SimpleNamespace(PredictionServiceStub=Stub)
    monkeypatch.setitem(sys.modules, "grpc", grpc)
    name = "tensorflow_serving.apis.prediction_service_pb2_grpc"
    monkeypatch.setitem(sys.modules, name, services)
    [code] = [content for _, content in blocks() if "import grpc" in content]
    exec(code, {})

    [request] = requests
    assert request.model_spec.name == NAME
    assert request.model_spec.signature_name == "serving_default"
    text = request.inputs["text"]
    assert text.dtype == tf.string.as_datatype_enum
    assert [dim.size for dim in text.tensor_shape.dim] == [1]
    assert text.string_val == [b"play hey jude by the beatles on spotify"]
    assert capsys.readouterr().out.startswith("b'play' [b'O', b'O',")
