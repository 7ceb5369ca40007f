"""The command in this process, and one run that it has trained."""

import io
import sys
from types import SimpleNamespace
from unittest import mock

import pytest
import tiny
import yaml


def run_command(*arguments, stdin=b""):
    """Runs `keras-slu ARGUMENTS`; gives `code`, and `out` and `err` as bytes."""
    from keras_slu.cli.main import main

    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "argv": ["keras-slu", *map(str, arguments)],
        "stdin": io.TextIOWrapper(io.BytesIO(stdin), "utf-8"),
        "stdout": io.TextIOWrapper(out, "utf-8", write_through=True),
        "stderr": io.TextIOWrapper(err, "utf-8", write_through=True),
    }
    with mock.patch.multiple(sys, **streams):
        with pytest.raises(SystemExit) as leaving:
            main()
        streams["stdout"].flush()
        return SimpleNamespace(
            code=leaving.value.code or 0, out=out.getvalue(), err=err.getvalue()
        )


def check_refused(result, *told):
    """Checks that a command told a fault in one line, and gave nothing else."""
    message = result.err.decode()
    assert result.code == 2, message
    assert result.out == b""
    assert message.startswith("error: ")
    assert message.endswith("\n") and len(message.splitlines()) == 1, message
    for part in told:
        assert str(part) in message


@pytest.fixture(scope="session")
def command():
    return run_command


@pytest.fixture(scope="session")
def refused():
    return check_refused


@pytest.fixture(scope="session")
def raw_data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    tiny.write_raw(folder)
    return folder


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """What `keras-slu train` made of raw text in `folder`: `run`, `result`."""
    folder = tmp_path_factory.mktemp("work")
    data = folder / "data"
    data.mkdir()
    tiny.write_raw(data)
    recipe = tiny.make_recipe({"slot_head": "crf"}).model_dump(mode="json")
    (data / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        result = run_command(
            "train", "data/recipe.yaml", "--seed", "3", "--results", "results"
        )
    run = folder / "runs" / "tiny-corpus-seed3"
    return SimpleNamespace(folder=folder, data=data, run=run, result=result)


@pytest.fixture(scope="session")
def exported(trained, tmp_path_factory):
    """Paths of the trained run's SavedModel and of its `.tflite` file."""
    from keras_slu.export.litert import export_litert
    from keras_slu.export.saved_model import export_saved_model

    folder = tmp_path_factory.mktemp("exports")
    device = folder / "tiny.tflite"
    export_litert(trained.run, device)
    return export_saved_model(trained.run, folder, name="tiny"), device
