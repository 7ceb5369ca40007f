"""Choosing the reader by the name."""

import gc
import gzip
import json
import subprocess
import sys

import pytest

from keras_slu.data import read
from keras_slu.errors import InputError


def test_reads_a_folder_and_json_lines(tmp_path):
    for name, line in (("seq.in", "a b"), ("seq.out", "O B-x"), ("label", "p")):
        (tmp_path / name).write_text(line + "\n")
    item = {"text": "a b", "slot": ["O", "B-x"], "intent": "p"}
    for name in ("data.jsonl", "data.json"):
        (tmp_path / name).write_text(json.dumps(item) + "\n")
        assert read(tmp_path / name) == read(str(tmp_path))


def test_reads_a_folder_of_gz(tmp_path):
    for name, line in (("seq.in", "a b"), ("seq.out", "O B-x"), ("label", "p")):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(f"{line}\n".encode()))
    assert read(tmp_path)[0].text == "a b"


@pytest.mark.parametrize("enabled", [True, False])
def test_garbage_collection_is_as_before(tmp_path, enabled):
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(InputError):
            read(tmp_path)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was_enabled else gc.disable)()


def test_reads_the_embedded_corpus():
    assert read("embedded:home/dev")[0].text


@pytest.mark.parametrize(
    "name", ["embedded:home", "embedded:home/all", "embedded:x/dev"]
)
def test_other_embedded_data_are_refused(name):
    with pytest.raises(InputError, match=f"no embedded data '{name}'.*home/train"):
        read(name)


def test_what_is_no_data_is_refused(tmp_path):
    with pytest.raises(InputError, match="no such file.*jsonl.*embedded:"):
        read(tmp_path / "none.jsonl")
    (tmp_path / "data.txt").write_text("a,b\n")
    with pytest.raises(InputError, match="no known format.*seq.in"):
        read(tmp_path / "data.txt")
    (tmp_path / "data.jsonl").mkdir()
    with pytest.raises(InputError, match="holds nothing to read"):
        read(tmp_path / "data.jsonl")


def test_a_folder_of_splits_names_them(tmp_path):
    for split in ("train", "test"):
        (tmp_path / split).mkdir()
        (tmp_path / split / "seq.in").write_text("a\n")
    with pytest.raises(InputError, match="Name one: test, train."):
        read(tmp_path)


def test_text_and_data_import_neither_tensorflow_nor_keras():
    code = (
        "import sys, keras_slu.data, keras_slu.data.alignment\n"
        "import keras_slu.text.tokenizer, keras_slu.text.vocabulary\n"
        "import keras_slu.encoders.word_vectors\n"
        "sys.exit(bool({'tensorflow', 'keras'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
