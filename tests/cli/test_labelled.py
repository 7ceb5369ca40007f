"""What the intents of labelled data are to a run."""

import json

import pytest
import yaml

from keras_slu.cli.labelled import read_for


@pytest.fixture
def data(tmp_path):
    turn = {
        "speaker": "user",
        "text": "two",
        "intent": "buy",
        "acts": ["INFORM", "ASK"],
    }
    path = tmp_path / "dialogues.jsonl"
    path.write_text(json.dumps({"turns": [turn]}) + "\n")
    return path


def make_run(folder, **keys):
    folder.mkdir()
    recipe = {"name": "a", "data": {"train": "b", "dev": "c"}, **keys}
    (folder / "recipe.yaml").write_text(yaml.safe_dump(recipe))
    return folder


@pytest.mark.parametrize(
    "keys, intents", [({}, ("buy",)), ({"acts_as_intents": True}, ("INFORM", "ASK"))]
)
def test_the_recipe_says_it(tmp_path, data, keys, intents):
    [turn] = read_for(make_run(tmp_path / "run", **keys), data)
    assert turn.intents == intents


def test_an_export_has_no_recipe(tmp_path, data):
    [turn] = read_for(tmp_path / "model.tflite", data)
    assert turn.intents == ("buy",)
