"""The tables of SkillNets in RESULTS.md."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from keras_slu.evaluation.skill_scores import MAIN
from keras_slu.training.recipe import load_recipe
from keras_slu.training.skill_results import row_recipes
from keras_slu.training.skill_results import skill_sections

TRAINING = Path(__file__).parents[2] / "training"


def recipe_of(name):
    return load_recipe(TRAINING / "recipes" / f"{name}.yaml")[0]


def test_every_row_has_recipes_with_the_tasks_of_its_table():
    tables = yaml.safe_load((TRAINING / "skills.yaml").read_text())
    seen = {}
    for table in tables.values():
        for row in table["rows"]:
            recipes = [recipe for recipe, _ in row_recipes(TRAINING, row)]
            kinds = {name: t.kind for r in recipes for name, t in r.data.items()}
            assert kinds.keys() == table["tasks"].keys()
            for name, figures in table["tasks"].items():
                assert MAIN[kinds[name]] in figures
            seen |= {recipe.name: recipe.digest() for recipe in recipes}
            assert [recipe.name for recipe in recipes] == row["recipes"]
    assert len(set(seen.values())) == len(seen)


@pytest.fixture
def folder(tmp_path):
    """The folder with results of two seeds of one recipe, and of a task alone."""
    shutil.copytree(TRAINING / "recipes", tmp_path / "recipes")
    shutil.copy(TRAINING / "skills.yaml", tmp_path)
    (tmp_path / "results").mkdir()
    for seed, score in ((1, 0.5), (2, 0.7)):
        write_result(tmp_path, "skills-zh", seed, score)
    write_result(tmp_path, "skills-zh-only-ocnli", 1, 0.9)
    return tmp_path


def write_result(folder, name, seed, score):
    recipe = recipe_of(name)
    scores = {
        task: {"chance": 0.25, "majority": 0.3, "accuracy": score, "f1": score,
               "exact_match": 0.125}
        for task in recipe.data
    }  # fmt: skip
    figures = {
        "recipe": name,
        "recipe_hash": recipe.digest(),
        "seed": seed,
        "parameters": 12345,
        "active_parameters": dict.fromkeys(recipe.data, 6000),
        "epochs": 8,
        "seconds_per_epoch": 70.0,
        "cores": 2,
        "test": {"mean": score, **scores},
    }
    path = folder / "results" / f"{name}-seed{seed}.json"
    path.write_text(json.dumps(figures))


def test_figures_are_means_over_seeds(folder):
    chinese = skill_sections(folder).split("## ")[1]
    lines = [line for line in chinese.splitlines() if line[:1] == "|"]
    [ours] = [line for line in lines if line.startswith("| SkillNet |")]
    mean = "60.00 ± 14.14"
    assert f"| 12.50 ± 0.00 / {mean} | {mean} | 2 | 12,345 | 6,000 | 8 | 70 |" in ours
    assert f"| {mean} / {mean} |" in ours  # accuracy and F1 of AFQMC
    assert "| Chance | 25.00 | 25.00 |" in chinese
    assert len({line.count("|") for line in lines}) == 1


def test_a_row_of_several_recipes_waits_for_all(folder):
    def task_specific():
        lines = skill_sections(folder).splitlines()
        return next(line for line in lines if line.startswith("| Task-specific"))

    assert "90.00" not in task_specific()
    for name in ("chnsenticorp", "afqmc", "tnews", "resume-ner", "cmrc2018"):
        write_result(folder, f"skills-zh-only-{name}", 1, 0.3)
    assert "| 90.00 |" in task_specific()
    assert f"| 40.00 | 1 | {6 * 12345:,} | 6,000 | 8 | 420 |" in task_specific()


def test_a_folder_without_tables_has_no_section(tmp_path):
    assert skill_sections(tmp_path) == ""
