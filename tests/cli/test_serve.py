"""`keras-slu serve`: one child process, from start to Ctrl-C, and bad arguments."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from keras_slu.serving.client import Client

COMMAND = Path(sys.executable).with_name("keras-slu")


@pytest.fixture(scope="module")
def export(tmp_path_factory):
    from toy_export import write_toy

    folder = tmp_path_factory.mktemp("exports") / "toy"
    write_toy(folder / "2")
    return folder


def test_an_export_is_served_until_ctrl_c(export):
    child = subprocess.Popen(
        [COMMAND, "serve", export, "--port", "0", "--name", "toy"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    with child:
        try:
            told = child.stdout.readline()
            address = re.search(r"http://127\.0\.0\.1:\d+", told).group()
            client = Client(f"{address}/v1/models/toy/versions/2", timeout=60)
            [slot] = client.parse("play zoë 😀").slots
            assert (slot.value, slot.start, slot.end) == ("😀", 9, 10)
        finally:
            child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 0, err
    assert out.endswith("Stopped.\n")
    assert err == ""


def test_a_port_that_is_taken_is_told_before_the_model_loads(command, refused):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused(command("serve", "missing", "--port", port), f"127.0.0.1:{port}")


def test_a_folder_without_a_model_is_told(command, refused, tmp_path):
    told = f"{tmp_path}: is no run and no export"
    refused(command("serve", tmp_path, "--port", 0), told)


def test_a_name_that_makes_no_path_is_told(command, refused, tmp_path):
    refused(command("serve", tmp_path, "--name", "a/b"), "'a/b'")


def test_without_the_server_library_its_extra_is_told(command, refused, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("keras_slu.serving")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    refused(command("serve", "x"), "is not installed", "keras-slu[serving]")
