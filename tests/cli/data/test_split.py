"""`keras-slu data split`: three files in a new folder."""

import json
import os

import pytest


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "all.jsonl"
    lines = [json.dumps({"text": f"play {n}", "intent": "play"}) for n in range(100)]
    path.write_text("\n".join([*lines, ""]))
    return path


def test_three_files(command, data, tmp_path):
    folder = tmp_path / "out"
    result = command("data", "split", data, "--output", folder, "--dev", "0.2")
    assert result.code == 0, result.err.decode()
    told = f"Wrote 70 train, 20 dev, 10 test utterances to {folder}.\n"
    assert result.out.decode() == told
    assert sorted(os.listdir(folder)) == ["dev.jsonl", "test.jsonl", "train.jsonl"]
    lines = [(folder / name).read_text().splitlines() for name in os.listdir(folder)]
    texts = [json.loads(line)["text"] for of_split in lines for line in of_split]
    assert sorted(texts) == sorted(f"play {n}" for n in range(100))


def test_the_splits_are_found_again(command, data, tmp_path):
    folder = tmp_path / "out"
    command("data", "split", data, "--output", folder, "--to", "rasa-yaml")
    told = json.loads(command("data", "validate", folder, "--json").out)
    assert told["utterances"] == {"train": 80, "dev": 10, "test": 10}
    assert told["errors"] == 0


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--dev", "0.5", "--test", "0.5"], "shares of 0.5"),
        (["--dev", "nan"], "shares of nan"),
        (["--to", "xml"], "no format 'xml'"),
        (["--from", "conll"], "all.jsonl:1: "),
    ],
)
def test_what_cannot_be_is_told(command, refused, data, tmp_path, options, told):
    result = command("data", "split", data, "--output", tmp_path / "out", *options)
    refused(result, told)
    assert os.listdir(tmp_path) == [data.name]


def test_a_folder_that_exists_is_told(command, refused, data, tmp_path):
    refused(command("data", "split", data, "--output", tmp_path), tmp_path, "exists")
