"""A run folder: whose it is, and what is left in it."""

import json
import os

import pytest
import yaml

from keras_slu.errors import InputError
from keras_slu.training.recipe import Recipe
from keras_slu.training.run import Run
from keras_slu.training.run import write_result

RECIPE = Recipe(name="one", data={"train": "a", "dev": "b"})
OTHERS = [
    RECIPE.model_copy(update={"name": "two"}),
    RECIPE.model_copy(update={"seed": 2}),
    RECIPE.model_copy(
        update={"training": RECIPE.training.model_copy(update={"epochs": 2})}
    ),
]


def test_a_new_folder_is_made_and_claimed(tmp_path):
    run = Run(tmp_path / "deep" / "run")
    run.claim(RECIPE)
    assert os.listdir(run.folder) == ["recipe.yaml"]
    assert not run.is_finished


def test_the_recipe_in_the_run_is_a_recipe(tmp_path):
    from keras_slu.training.recipe import load_recipe

    run = Run(tmp_path / "run")
    run.claim(RECIPE)
    assert load_recipe(run.recipe)[0] == RECIPE


def test_an_empty_folder_is_claimed(tmp_path):
    Run(tmp_path).claim(RECIPE)
    assert os.listdir(tmp_path) == ["recipe.yaml"]


def test_the_same_recipe_claims_again(tmp_path):
    Run(tmp_path).claim(RECIPE)
    Run(tmp_path).claim(RECIPE)


def test_a_recipe_from_before_a_key_was_there_is_the_same(tmp_path):
    run = Run(tmp_path)
    run.claim(RECIPE)
    content = yaml.safe_load(run.recipe.read_text())
    del content["start"], content["leave_out_intents"]
    run.recipe.write_text(yaml.safe_dump(content))
    run.claim(RECIPE)


@pytest.mark.parametrize("content", ["name: [", "name: 3", "- one"])
def test_a_recipe_that_cannot_be_read_is_another(tmp_path, content):
    run = Run(tmp_path)
    run.recipe.write_text(content)
    with pytest.raises(InputError, match="another recipe"):
        run.claim(RECIPE)


@pytest.mark.parametrize("other", OTHERS)
def test_another_recipe_is_refused(tmp_path, other):
    run = Run(tmp_path)
    run.claim(RECIPE)
    before = run.recipe.read_bytes()
    with pytest.raises(InputError, match="another recipe or seed") as error:
        run.claim(other)
    assert error.value.file == str(tmp_path)
    assert run.recipe.read_bytes() == before


@pytest.mark.parametrize("foreign", ["thesis.txt", ".hidden", "folder/"])
def test_a_foreign_folder_is_refused_and_left_as_it_is(tmp_path, foreign):
    path = tmp_path / foreign
    path.mkdir() if foreign.endswith("/") else path.write_text("mine")
    with pytest.raises(InputError, match="holds no run"):
        Run(tmp_path).claim(RECIPE)
    assert os.listdir(tmp_path) == [foreign.rstrip("/")]


def test_a_file_in_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(InputError, match="holds no run"):
        Run(tmp_path / "run").claim(RECIPE)
    assert (tmp_path / "run").read_text() == "mine"


def test_what_a_kill_leaves_while_the_recipe_is_written_is_no_obstacle(tmp_path):
    (tmp_path / ".recipe.yaml.x7r.yaml").write_text("name: o")
    Run(tmp_path).claim(RECIPE)


def test_clean_removes_what_training_needs_and_kills_leave(tmp_path):
    run = Run(tmp_path)
    run.claim(RECIPE)
    run.backup.mkdir()
    keep = {"recipe.yaml", "model.keras", "metrics.json", "README.md", ".mine"}
    for name in (
        *keep,
        "best.weights.h5",
        "backup/state.json",
        ".best.weights.h5.ab1.weights.h5",
        ".model.keras.ab2.keras",
        ".metrics.json.ab3.json",
        ".README.md.ab5.md",
        ".recipe.yaml.ab4.yaml",
    ):
        (tmp_path / name).touch()
    run.clean()
    assert set(os.listdir(tmp_path)) == keep
    run.clean()


def test_a_run_with_metrics_is_finished(tmp_path):
    run = Run(tmp_path)
    run.metrics.write_text('{"seed": 1}')
    assert run.is_finished
    assert run.read_metrics() == {"seed": 1}


def test_a_result_is_named_after_recipe_and_seed(tmp_path):
    figures = {"recipe": "han-snips", "seed": 3, "dev": {"slot_f1": 0.5}}
    path = write_result({**figures, "history": [{"loss": 1.0}]}, tmp_path / "results")
    assert path == tmp_path / "results" / "han-snips-seed3.json"
    assert json.loads(path.read_text()) == figures


def test_damaged_metrics_are_told(tmp_path):
    run = Run(tmp_path)
    run.metrics.write_text('{"dev": ')
    with pytest.raises(InputError, match="metrics.json: is damaged"):
        run.read_metrics()
