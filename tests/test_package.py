"""The package as installed: its import, its version, its command."""

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer

import keras_slu
from keras_slu.cli import main as cli
from keras_slu.errors import InputError

COMMAND = Path(sys.executable).with_name("keras-slu")
HEAVY = {"tensorflow", "keras", "numpy", "pydantic", "yaml", "tensorboard"}


def loaded_after(code):
    """The heavy modules that a fresh interpreter has loaded after `code`."""
    code += "\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    child = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return HEAVY & set(json.loads(child.stdout.splitlines()[-1]))


def call_main(monkeypatch, command):
    """Runs `main` with `command` as the only command; gives the exit code."""
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(command)
    monkeypatch.setattr(cli, "app", app)
    monkeypatch.setattr(sys, "argv", ["keras-slu"])
    with pytest.raises(SystemExit) as leaving:
        cli.main()
    return leaving.value.code


def test_importing_the_package_is_light():
    assert loaded_after("import keras_slu") == set()


def loaded_by_help(*arguments):
    """The heavy modules that `keras-slu ARGUMENTS --help` has loaded."""
    return loaded_after(
        f"""
import sys
from keras_slu.cli.main import main
sys.argv = ["keras-slu", *{arguments!r}, "--help"]
try:
    main()
except SystemExit as leaving:
    assert leaving.code == 0, leaving.code
"""
    )


COMMANDS = (
    "demo",
    "init",
    "train",
    "evaluate",
    "calibrate",
    "compare",
    "predict",
    "attention",
    "export",
    "verify",
    "benchmark",
    "serve",
    "query",
    "reproduce",
    "data",
)


def test_help_loads_nothing_heavy():
    assert loaded_by_help() == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_loads_nothing_heavy(command):
    # Typer itself reads a command's arguments with pydantic.
    assert loaded_by_help(command) <= {"pydantic"}


def test_help_names_every_command():
    shown = subprocess.run([COMMAND, "--help"], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    for name in COMMANDS:
        assert f" {name} " in shown.stdout


def test_version_is_that_of_the_metadata():
    shown = subprocess.run([COMMAND, "--version"], capture_output=True, text=True)
    assert shown.stdout == f"{keras_slu.__version__}\n"
    assert importlib.metadata.version("keras-slu") == keras_slu.__version__


def test_the_type_marker_is_installed():
    assert (Path(keras_slu.__file__).parent / "py.typed").exists()


def test_input_error_is_one_line_and_exit_code_2(monkeypatch, capsys):
    def command():
        raise InputError(
            "rate is -1", "Give a rate above 0.", file="recipe.yaml", line=3
        )

    assert call_main(monkeypatch, command) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "error: recipe.yaml:3: rate is -1. Give a rate above 0.\n"


def test_interruption_is_exit_code_130(monkeypatch, capsys):
    def command():
        raise KeyboardInterrupt

    assert call_main(monkeypatch, command) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_fault_of_ours_keeps_its_traceback(monkeypatch):
    def command():
        raise ValueError("not the user's fault")

    with pytest.raises(ValueError, match="not the user's fault"):
        call_main(monkeypatch, command)


def test_a_reader_that_has_gone_is_no_error_message():
    reading, writing = os.pipe()
    os.close(reading)
    try:
        child = subprocess.run(
            [COMMAND, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True
        )
    finally:
        os.close(writing)
    assert child.stderr == ""
    assert child.returncode == 1
