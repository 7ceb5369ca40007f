"""The trainings that a table of results needs, whatever it is of."""

from pathlib import Path
from typing import NamedTuple

from keras_slu.errors import InputError
from keras_slu.training.base_recipe import BaseRecipe
from keras_slu.training.skill_results import load_skill_tables
from keras_slu.training.skill_results import row_recipes
from keras_slu.training.tables import load_tables
from keras_slu.training.tables import named_recipe
from keras_slu.training.tables import read_table
from keras_slu.training.tables import row_recipe


class Entry(NamedTuple):
    """One recipe of a table.

    Args:
        row: str. The name of its row.
        data: str. The data set, where the table has several, else empty.
        recipe: the recipe, of any task.
        folder: path that the recipe's paths are relative to.
    """

    row: str
    data: str
    recipe: BaseRecipe
    folder: Path


def load_entries(folder, name):
    """Reads what there is to train for a table.

    Args:
        folder: path of the folder `training/`.
        name: str. The table's name.

    Returns:
        list of `Entry`, in the order of the rows.

    Raises:
        InputError: when there is no such table, or it is faulty, or a recipe is.
    """
    joint, skills = load_tables(folder), load_skill_tables(folder)
    single = {key: read_table(folder, key) for key in ("punctuation", "translation")}
    single = {key: table for key, table in single.items() if table is not None}
    if name in joint:
        return _of_joint(folder, joint[name])
    if name in skills:
        return _of_skills(folder, skills[name])
    if name in single:
        found = ((row, named_recipe(folder, row)) for row in single[name]["rows"])
        return [Entry(row, "", *recipe) for row, recipe in found if recipe]
    raise InputError(
        f"there is no table {name!r}",
        f"Name one of {', '.join([*joint, *single, *skills])}.",
        file=folder,
    )


def _of_joint(folder, table):
    return [
        Entry(name, data, *found)
        for name, row in table.rows.items()
        for data in table.data
        if (found := row_recipe(folder, name, data, row)) is not None
    ]


def _of_skills(folder, table):
    found = {}
    for row in table["rows"]:
        for recipe, recipe_folder in row_recipes(folder, row):
            found[recipe.name] = Entry(recipe.name, "", recipe, recipe_folder)
    return list(found.values())
