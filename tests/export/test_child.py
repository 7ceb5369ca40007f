"""A function in a process of its own: what goes wrong there is told here."""

import json
import os
from pathlib import Path

import pytest

from keras_slu.errors import InputError
from keras_slu.export.child import call_in_child


def test_it_sees_no_gpu_and_our_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "seen.py").write_text(
        "import json, os\n"
        "def write(path):\n"
        "    print('noise')\n"
        "    gpus = os.environ['CUDA_VISIBLE_DEVICES']\n"
        "    json.dump([gpus, os.getcwd()], open(path, 'w'))\n"
    )
    call_in_child("seen:write", path="seen.json")
    assert json.loads(Path("seen.json").read_text()) == ["-1", os.getcwd()]


def test_an_input_error_comes_back_whole():
    with pytest.raises(InputError) as error:
        call_in_child("keras_slu.text.vocabulary:Vocabulary", words=["zoë", "zoë"])
    assert error.value.problem == "the word 'zoë' stands twice"
    assert error.value.remedy
    assert (error.value.file, error.value.line) == (None, None)


def test_what_the_system_refuses_is_an_input_error(tmp_path):
    with pytest.raises(InputError) as error:
        call_in_child("os:listdir", path=str(tmp_path / "none"))
    assert error.value.problem == "No such file or directory"
    assert error.value.file == str(tmp_path / "none")


def test_a_fault_of_ours_comes_with_its_traceback():
    with pytest.raises(RuntimeError, match="exit code 1: Traceback(.|\n)*TypeError"):
        call_in_child("os:getcwd", folder="x")


def test_a_death_is_told():
    with pytest.raises(RuntimeError, match="os:abort failed .* exit code -6"):
        call_in_child("os:abort")
