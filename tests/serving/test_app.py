"""The calls over real connections, good and bad: an answer and a live server."""

import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from rest_server import FakeModel
from rest_server import running

PREDICT = "/v1/models/slu:predict"
LIMITS = {"body_bytes": 10_000, "body_seconds": 1.0, "answer_seconds": 1.0}


@pytest.fixture(scope="module")
def server():
    with running(FakeModel(), **LIMITS) as address:
        yield address.removeprefix("http://")


def call(server, method, path, body=None):
    """Gives the status and the JSON of one call."""
    connection = http.client.HTTPConnection(server, timeout=20)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def predict(server, *texts):
    return call(server, "POST", PREDICT, json.dumps({"instances": texts}))


def check_alive(server):
    status, answer = predict(server, "hey jude")
    assert status == 200
    assert answer["predictions"][0]["tokens"][:2] == ["hey ", "jude"]


def check_error(answer, status):
    assert answer[0] == status, answer
    assert list(answer[1]) == ["error"]
    return answer[1]["error"]


def connected(server):
    host, port = server.split(":")
    return socket.create_connection((host, int(port)), timeout=20)


@pytest.mark.parametrize(
    "path", [PREDICT, "/v1/models/slu/versions/3:predict", "/v1/models/slu%3Apredict"]
)
def test_predict(server, path):
    status, answer = call(server, "POST", path, '{"instances": ["hey jude"]}')
    assert (status, len(answer["predictions"])) == (200, 1)


@pytest.mark.parametrize("path", ["/v1/models/slu", "/v1/models/slu/versions/3"])
def test_status(server, path):
    state = {
        "version": "3",
        "state": "AVAILABLE",
        "status": {"error_code": "OK", "error_message": ""},
    }
    assert call(server, "GET", path) == (200, {"model_version_status": [state]})


@pytest.mark.parametrize("place", ["slu", "slu/versions/3"])
def test_metadata(server, place):
    status, answer = call(server, "GET", f"/v1/models/{place}/metadata")
    assert status == 200
    assert answer == {
        "model_spec": {"name": "slu", "signature_name": "", "version": "3"},
        "metadata": {"signature_def": {"signature_def": FakeModel.metadata}},
    }


@pytest.mark.parametrize(
    "method, path, status, told",
    [
        ("GET", "/v1/models/x", 404, "any versions of model x"),
        ("GET", "/v1/models/slu/versions/4", 404, "version 4 of model slu"),
        ("GET", "/v1/models/x/metadata", 404, "Latest(x)"),
        ("POST", "/v1/models/x:predict", 404, "Latest(x)"),
        ("POST", "/v1/models/slu/versions/4:predict", 404, "Specific(slu, 4)"),
        ("POST", "/v1/models/slu/versions/x:predict", 400, "Malformed request: POST"),
        ("POST", "/v1/models/slu:classify", 400, "Malformed request: POST"),
        ("POST", "/v1/models/slu", 400, "Malformed request: POST"),
        ("DELETE", PREDICT, 400, "Malformed request: DELETE"),
        ("GET", "/v1/", 400, "Malformed request: GET /v1/"),
        ("GET", "/etc/passwd", 404, "Not Found"),
        ("POST", "/", 405, "Method Not Allowed"),
    ],
)
def test_calls_that_are_none(server, method, path, status, told):
    assert told in check_error(call(server, method, path, "{}"), status)


@pytest.mark.parametrize("body", ["", "{", '{"instances": [1]}', "[" * 9000, "\0\xff"])
def test_bodies_that_are_none(server, body):
    check_error(call(server, "POST", PREDICT, body.encode("latin-1")), 400)
    check_alive(server)


def test_the_page_may_talk_to_its_server_only(server):
    connection = http.client.HTTPConnection(server, timeout=20)
    connection.request("GET", "/")
    response = connection.getresponse()
    page = response.read().decode()
    connection.close()
    assert response.status == 200
    assert '"/v1/models/slu:predict"' in page
    policy = dict(
        part.split(" ", 1)
        for part in response.headers["content-security-policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["script-src"].startswith("'sha256-")
    assert "http://" not in page and "https://" not in page


@pytest.mark.parametrize("sent_as", ["whole", "chunks"])
def test_a_body_that_is_too_long(server, sent_as):
    body = [b"x" * 1000] * 3000
    if sent_as == "whole":
        body = b"".join(body)
    assert "10000 bytes" in check_error(call(server, "POST", PREDICT, body), 413)
    check_alive(server)


def test_a_body_that_comes_too_slowly(server):
    with connected(server) as client:
        head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
        client.sendall(head.encode())
        answer = _dribble(client)
    assert b" 408 " in answer.splitlines()[0]
    assert b'{"error"' in answer
    check_alive(server)


def test_a_head_that_comes_too_slowly(server, monkeypatch):
    monkeypatch.setattr("keras_slu.serving.server.HEAD_SECONDS", 0.6)
    with connected(server) as client:
        start = time.monotonic()
        assert _dribble(client) == b""
        assert time.monotonic() - start < 5
    connection = http.client.HTTPConnection(server, timeout=20)
    connection.request("GET", "/v1/models/slu")
    assert connection.getresponse().read()
    assert _dribble(connection.sock) == b""  # the head of a second request
    connection.close()
    check_alive(server)


def _dribble(client):
    """Sends a byte now and then until the server has had enough."""
    client.settimeout(0.1)
    for _ in range(100):
        try:
            client.sendall(b"x")
            received = client.recv(65536)
        except TimeoutError:
            continue
        except (ConnectionResetError, BrokenPipeError):
            return b""
        return received
    raise AssertionError("the server waits for ever")


def test_what_is_no_http(server):
    with connected(server) as client:
        client.sendall(b"\x16\x03\x01\x00\xa5\x01\x00\r\n\r\n")
        assert b" 400 " in client.recv(65536)
    check_alive(server)


def test_clients_that_go_away(server):
    body = b'{"instances": ["sleep 0.2"]}'
    for sent in (body, body[:9]):
        with connected(server) as client:
            head = f"POST {PREDICT} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}"
            client.sendall(head.encode() + b"\r\n\r\n" + sent)
    check_alive(server)


def test_an_answer_that_takes_too_long(server):
    assert "1 s" in check_error(predict(server, "sleep 1.4"), 504)
    check_alive(server)


def test_a_fault_of_ours(server):
    assert "broken" in check_error(predict(server, "fault"), 500)
    check_alive(server)


def test_other_calls_are_answered_while_the_model_works(server):
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(predict, server, "sleep 0.8")
        time.sleep(0.1)
        assert call(server, "GET", "/v1/models/slu")[0] == 200
        assert not slow.done()
        assert slow.result()[0] == 200


def test_fifty_at_a_time_get_their_own_answers(server):
    texts = [f"song {number}" for number in range(50)]
    together = threading.Barrier(50)

    def ask(text):
        together.wait(timeout=20)
        return predict(server, text)

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(ask, texts))
    assert [status for status, _ in answers] == [200] * 50
    assert ["".join(a["predictions"][0]["tokens"]) for _, a in answers] == texts


def test_more_than_the_limit_are_told_to_wait():
    with running(FakeModel(), requests=2) as address, ThreadPoolExecutor(3) as pool:
        server = address.removeprefix("http://")
        answers = list(pool.map(lambda n: predict(server, "sleep 0.5"), range(3)))
        assert sorted(status for status, _ in answers) == [200, 200, 503]
        check_alive(server)
