"""A folder `training/` with a small table, made recipes and made results."""

import json

import yaml

from keras_slu.training.tables import row_recipe

TABLES = {
    "small": {
        "title": "Small",
        "source": "A paper.",
        "data": ["snips", "atis"],
        "rows": {
            "lstm": {"title": "LSTM"},
            "old": {"title": "Graph", "paper": {"snips": [95.3, 98.29, 89.7]}},
            "first": {"title": "First order"},
            "higher": {
                "title": "Higher order",
                "paper": {"snips": [96.18, 99.12, 91.8], "atis": [96.1, 98.0, 88.0]},
                "rerun": {"atis": [94.6, 97.9, 87.1]},
            },
        },
        "differences": [["higher", "first"]],
    }
}
ROWS = ("lstm", "first", "higher")  # that have recipes
EPOCHS = 10


def write_training(folder):
    """Writes tables and recipes; no data, for nothing here trains."""
    (folder / "recipes").mkdir(parents=True)
    (folder / "tables.yaml").write_text(yaml.safe_dump(TABLES, sort_keys=False))
    for row in ROWS:
        for data in ("snips", "atis"):
            write_recipe(folder, f"{row}-{data}")
    return folder


def write_recipe(folder, name, **training):
    content = {
        "name": name,
        "data": {"train": "a", "dev": "b"},
        "training": {"epochs": EPOCHS, **training},
    }
    (folder / "recipes" / f"{name}.yaml").write_text(yaml.safe_dump(content))


def make_figures(recipe, overall=0.8, **more):
    """What `train` gives for a recipe, with made scores."""
    scores = {
        "slot_f1": 0.9,
        "slot_f1_strict": 0.91,
        "intent_accuracy": 0.95,
        "intent_accuracy_exact_string": 0.95,
        "overall_accuracy": overall,
    }
    majority = {"slot_f1": 0.0, "intent_accuracy": 0.2, "overall_accuracy": 0.1}
    return {
        "recipe": recipe.name,
        "recipe_hash": recipe.digest(),
        "seed": recipe.seed,
        "parameters": 12345,
        "epochs": 8,
        "seconds_per_epoch": 36.0,
        "cores": 2,
        "test": {**scores, "majority": majority},
        "history": [],
        **more,
    }


def write_made(folder, name, seed=1, overall=0.8, **more):
    """Files a made result of a recipe in `folder`; gives its path."""
    from keras_slu.training.run import write_result

    recipe, _ = row_recipe(folder, *name.rsplit("-", 1))
    recipe = recipe.model_copy(update={"seed": seed})
    return write_result(make_figures(recipe, overall, **more), folder / "results")


def edit_result(path, **test):
    """Changes scores on test in a result file."""
    figures = json.loads(path.read_text())
    figures["test"].update(test)
    path.write_text(json.dumps(figures))
