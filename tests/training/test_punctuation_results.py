"""The punctuation tables of RESULTS.md."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from keras_slu.training.punctuation_results import punctuation_section
from keras_slu.training.recipe import load_recipe

TRAINING = Path(__file__).parents[2] / "training"


def test_every_row_has_a_recipe_or_published_figures():
    table = yaml.safe_load((TRAINING / "punctuation.yaml").read_text())
    recipes = set()
    for name, row in table["rows"].items():
        path = TRAINING / "recipes" / f"{name}.yaml"
        if path.exists():
            recipe, _ = load_recipe(path)
            assert (recipe.task, recipe.name) == ("punctuation", name)
            recipes.add(name)
        else:
            assert row["published"]["test"]
    on_file = {path.stem for path in (TRAINING / "recipes").glob("*iwslt2011*.yaml")}
    assert recipes == on_file
    hashes = {
        load_recipe(TRAINING / "recipes" / f"{name}.yaml")[0].digest()
        for name in recipes
    }
    assert len(hashes) == len(recipes)


@pytest.fixture
def folder(tmp_path):
    """The folder with one result, of two seeds, and no other."""
    shutil.copytree(TRAINING / "recipes", tmp_path / "recipes")
    shutil.copy(TRAINING / "punctuation.yaml", tmp_path)
    (tmp_path / "results").mkdir()
    recipe, _ = load_recipe(tmp_path / "recipes" / "ffa-iwslt2011.yaml")
    for seed, f1 in ((1, 0.6), (2, 0.7)):
        scores = {"precision": 0.5, "recall": 0.75, "f1": f1}
        scores |= {mark: dict(scores) for mark in recipe.marks}
        figures = {
            "recipe": recipe.name,
            "recipe_hash": recipe.digest(),
            "seed": seed,
            "parameters": 12345,
            "epochs": 8,
            "epochs_trained": 8,
            "seconds_per_epoch": 70.0,
            "cores": 2,
            "test": scores,
            "test_asr": {**scores, "f1": 0.5},
        }
        path = tmp_path / "results" / f"ffa-iwslt2011-seed{seed}.json"
        path.write_text(json.dumps(figures))
    return tmp_path


def test_ours_stand_beside_what_was_published(folder):
    reference, recognised = punctuation_section(folder).split("### ")[1:]
    [ours] = [line for line in reference.splitlines() if "`ffa-iwslt2011`" in line]
    assert "| 50.0 / 75.0 / 65.0 |" in ours and "| 2 | 12,345 | 8 | 70 |" in ours
    [ours] = [line for line in recognised.splitlines() if "`ffa-iwslt2011`" in line]
    assert "| 50.0 / 75.0 / 50.0 |" in ours
    assert "| 64.4 | 54.8 | 72.9 | 66.7 |" in reference
    assert "T-BRNN" not in recognised and "59.8 / 70.7 / 64.8" in recognised
    widths = {line.count("|") for line in reference.splitlines() if line[:1] == "|"}
    assert len(widths) == 1


def test_a_folder_without_punctuation_has_no_section(tmp_path):
    assert punctuation_section(tmp_path) == ""
