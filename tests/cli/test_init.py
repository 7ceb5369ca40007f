"""`keras-slu init`: a first recipe that loads and finds its data."""

import gzip
import os

import pytest
import tiny

from keras_slu.data import read
from keras_slu.training.paths import resolve
from keras_slu.training.recipe import load_recipe


def made(result, path):
    """The recipe that the command wrote; its data are read, too."""
    assert result.code == 0, result.err.decode()
    recipe, folder = load_recipe(path)
    for data in recipe.data.model_dump(exclude_none=True).values():
        assert read(resolve(data, folder))
    assert f"Next: keras-slu train {path}" in result.out.decode()
    return recipe


def test_a_folder_of_splits(raw_data, tmp_path, command):
    path = tmp_path / "my recipe.yaml"
    result = command("init", raw_data, "--output", path)
    recipe = made(result, path)
    assert b"44 train, 12 dev, 9 test utterances" in result.out
    assert recipe.name == "my-recipe"
    assert recipe.data.test is not None
    assert recipe.model.embedding_dim == 100


def test_without_a_test_split(tmp_path, command):
    for split in ("train", "dev"):
        with gzip.open(tmp_path / f"{split}.jsonl.gz", "wt") as stream:
            stream.write('{"text": "play it", "intent": "play"}\n')
    path = tmp_path / "recipe.yaml"
    assert made(command("init", tmp_path, "--output", path), path).data.test is None


def test_each_split_by_name(raw_data, tmp_path, command):
    path = tmp_path / "deep" / "recipe.yaml"
    arguments = ["init", raw_data / "train.jsonl", "--dev", raw_data / "dev.jsonl"]
    recipe = made(command(*arguments, "--output", path), path)
    assert recipe.data.test is None
    path = tmp_path / "deep" / "other.yaml"
    arguments += ["--test", raw_data / "test.jsonl", "--name", "v2.0_b"]
    recipe = made(command(*arguments, "--output", path), path)
    assert recipe.data.test is not None
    assert recipe.name == "v2.0_b"


def test_the_recipe_lies_in_the_working_folder(
    raw_data, tmp_path, command, monkeypatch
):
    (tmp_path / "it's here").mkdir()
    tiny.write_raw(tmp_path / "it's here")
    monkeypatch.chdir(tmp_path)
    recipe = made(command("init", "it's here"), "recipe.yaml")
    assert recipe.data.train == "it's here/train.jsonl"


def test_embedded_data(tmp_path, command):
    path = tmp_path / "recipe.yaml"
    result = command(
        "init", "embedded:home/train", "--dev", "embedded:home/dev", "--output", path
    )
    assert made(result, path).data.train == "embedded:home/train"


@pytest.mark.parametrize("stem", ["2024", "null", "1e3", "yes", "---", "übung"])
def test_any_file_name_gives_a_recipe_that_loads(raw_data, tmp_path, command, stem):
    path = tmp_path / f"{stem}.yaml"
    made(command("init", raw_data, "--output", path), path)


@pytest.mark.parametrize("name", ["a b", "../x", "-x", "é"])
def test_a_name_that_cannot_be_is_refused(raw_data, tmp_path, command, refused, name):
    path = tmp_path / "recipe.yaml"
    result = command("init", raw_data, "--output", path, f"--name={name}")
    refused(result, repr(name))
    assert os.listdir(tmp_path) == []


def test_the_width_of_word_vectors_is_read(raw_data, tmp_path, command):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("play 1 2 3\nstop 4 5 6\n")
    path = tmp_path / "recipes" / "recipe.yaml"
    result = command("init", raw_data, "--output", path, "--word-vectors", vectors)
    recipe = made(result, path)
    assert recipe.model.embedding_dim == 3
    assert (path.parent / recipe.text.word_vectors.path).samefile(vectors)


def test_a_wrong_width_of_word_vectors_is_told(raw_data, tmp_path, command, refused):
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("play 1 2 3\nstop 4 5 6\ndim 7 8\n")
    path = tmp_path / "recipe.yaml"
    result = command("init", raw_data, "--output", path, "--word-vectors", vectors)
    refused(result, f"{vectors}:3:")
    assert not path.exists()


def test_what_exists_is_not_overwritten(raw_data, tmp_path, command, refused):
    path = tmp_path / "recipe.yaml"
    path.write_text("mine")
    refused(command("init", raw_data, "--output", path), path, "exists")
    assert path.read_text() == "mine"
    refused(command("init", raw_data, "--output", tmp_path), tmp_path, "exists")


def test_a_folder_without_splits_is_told(raw_data, tmp_path, command, refused):
    path = tmp_path / "recipe.yaml"
    refused(command("init", tmp_path, "--output", path), tmp_path, "--dev")
    file = raw_data / "train.jsonl"
    refused(command("init", file, "--output", path), file, "--dev")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("split", tiny.SPLITS)
def test_faulty_data_are_told(tmp_path, command, refused, split):
    tiny.write_raw(tmp_path)
    data = tmp_path / f"{split}.jsonl"
    data.write_bytes(b'{"text": "play"}\n{"text": "\xff"}\n')
    path = tmp_path / "recipe.yaml"
    refused(command("init", tmp_path, "--output", path), f"{data}:2:")
    assert not path.exists()
