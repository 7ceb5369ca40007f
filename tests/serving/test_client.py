"""The client over real connections, to servers good and bad."""

import http.server
import json
import subprocess
import sys
import threading

import pytest
from rest_server import FakeModel
from rest_server import running

from keras_slu.errors import InputError
from keras_slu.parsing import Intent
from keras_slu.parsing import Slot
from keras_slu.serving.client import BATCH_SIZE
from keras_slu.serving.client import Client


@pytest.fixture(scope="module")
def model():
    return FakeModel()


@pytest.fixture(scope="module")
def address(model):
    with running(model) as address:
        yield address


@pytest.fixture
def answering():
    """A server that answers everything with one body: `answering(body)`."""
    servers = []

    def start(body, status=200):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_text_becomes_a_frame(address):
    frame = Client(address).parse("play 😀 zoë")
    assert frame.text == "play 😀 zoë"
    assert frame.intents == (Intent("play", 0.75, True), Intent("stop", 0.25, False))
    assert frame.slots == (Slot("song", "zoë", 7, 10, 0.5),)
    assert (frame.is_unknown, frame.truncated) == (False, False)


def test_the_flags_reach_the_frame(address):
    unknown, long = Client(address).parse(["xyzzy", "a" * 1001])
    assert (unknown.is_unknown, unknown.truncated) == (True, False)
    assert (long.is_unknown, long.truncated) == (False, True)


def test_many_texts_go_in_batches(address, model):
    model.sizes.clear()
    texts = [f"song {number}" for number in range(2 * BATCH_SIZE + 3)]
    frames = Client(address).parse(texts)
    assert [frame.text for frame in frames] == texts
    assert model.sizes == [BATCH_SIZE, BATCH_SIZE, 3]
    assert Client(address).parse([]) == []


def test_a_lone_surrogate_keeps_the_text_and_its_offsets(address):
    frame = Client(address).parse("a\ud800b")
    assert frame.slots == (Slot("song", "a\ud800b", 0, 3, 0.5),)


@pytest.mark.parametrize(
    "path",
    ["", "/", "/v1/models/slu", "/v1/models/slu/versions/3", "/v1/models/slu:predict"],
)
def test_every_way_to_name_the_model(address, path):
    assert Client(address + path).parse("a").text == "a"


def test_the_name_of_the_model_counts(address):
    with pytest.raises(InputError, match="404: Servable not found.*Latest.x"):
        Client(address, name="x").parse("a")
    with pytest.raises(InputError, match="404: .*Specific.slu, 4") as refusal:
        Client(address + "/v1/models/slu/versions/4").parse("a")
    assert refusal.value.file == address + "/v1/models/slu/versions/4:predict"


@pytest.mark.parametrize("url", ["", "localhost:8501", "ftp://x", "http://", "run/x"])
def test_what_is_no_address(url):
    with pytest.raises(InputError, match="is no address of a server"):
        Client(url)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://127.0.0.1:x", "http://.", "http://a b"]
)
def test_no_server(url):
    with pytest.raises(InputError, match="no server answers"):
        Client(url).parse("a")


def test_a_server_that_is_too_slow(address):
    with pytest.raises(InputError, match="no server answers .*timed out"):
        Client(address, timeout=0.2).parse("sleep 0.6")


@pytest.mark.parametrize(
    "body, reason",
    [(b"<html>", "Bad Gateway"), (b'{"error": "no"}', "no"), (b"[]", "Bad Gateway")],
)
def test_an_error_that_is_not_of_our_form(answering, body, reason):
    with pytest.raises(InputError, match=f"the server answers 502: {reason}"):
        Client(answering(body, 502)).parse("a")


def row(**changes):
    [right] = json.loads(FakeModel().answer(b'{"instances": ["a"]}'))["predictions"]
    return {**right, **changes}


@pytest.mark.parametrize(
    "answer",
    [
        "hello",
        [],
        {"outputs": []},
        {"predictions": 1},
        {"predictions": []},
        {"predictions": [0.5]},
        {"predictions": [row(), row()]},
        {"predictions": [{"intents": ["play"]}]},
        {"predictions": [row(intent_active=[True])]},
        {"predictions": [row(starts=[])]},
        {"predictions": [row(starts=["x"])]},
        {"predictions": [row(tags=None)]},
        {"predictions": [row(tags=[1])]},
    ],
)
def test_the_answer_of_another_model(answering, answer):
    url = answering(json.dumps(answer).encode())
    with pytest.raises(InputError, match="not as a keras_slu model does"):
        Client(url).parse("a")


def test_what_is_not_json(answering):
    with pytest.raises(InputError, match="not as a keras_slu model does"):
        Client(answering(b"\xff")).parse("a")


def test_the_client_is_light():
    code = "import sys, keras_slu.serving.client; print(*sys.modules)"
    modules = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"tensorflow", "keras", "starlette", "uvicorn"} & set(modules)
