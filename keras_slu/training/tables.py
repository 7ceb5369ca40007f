"""The folder `training/`: tables of recipes, and the results that are on file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic
import yaml

from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.training.recipe import load_recipe
from keras_slu.training.settings import AboveZero
from keras_slu.training.settings import Settings

# What a row shows, in the order of the published triples.
SCORES = {
    "slot_f1": "slot F1",
    "intent_accuracy": "intent",
    "overall_accuracy": "overall",
}
NEEDED = {"recipe_hash", "parameters", "epochs", "seconds_per_epoch", "cores", "test"}
Percents = tuple[float, float, float]


class Row(Settings):
    """A row of a table: a system, and its published figures by data set.

    Its recipe is the file of its name or, with `base`, that of another name with
    other `settings`: keys such as `model.order`, and their values.
    """

    title: str
    paper: dict[str, Percents] = {}
    rerun: dict[str, Percents] = {}
    base: str | None = None
    settings: dict[str, Any] = {}

    @pydantic.model_validator(mode="after")
    def _check_base(self):
        if bool(self.settings) != bool(self.base):
            raise ValueError("`base` and the `settings` that it changes go together")
        return self


class Figure(Settings):
    """A plot of rows: what `x` is, and of each line its rows and their `x`."""

    x: str
    lines: dict[str, dict[str, AboveZero]]


class Table(Settings):
    """A published table; `differences` are pairs (higher order, first order)."""

    title: str
    source: str
    data: tuple[str, ...]
    rows: dict[str, Row]
    differences: tuple[tuple[str, str], ...] = ()
    figure: Figure | None = None

    @pydantic.model_validator(mode="after")
    def _check_names(self):
        lines = self.figure.lines.values() if self.figure else ()
        for key, groups in (("differences", self.differences), ("figure", lines)):
            used = {row for group in groups for row in group}
            if unknown := sorted(used - set(self.rows)):
                raise ValueError(f"`{key}` names {unknown}, which are no rows")
        for row in self.rows.values():
            if unknown := sorted({*row.paper, *row.rerun} - set(self.data)):
                raise ValueError(f"a row has figures of {unknown}, not in `data`")
        return self


def load_tables(folder):
    """Reads `tables.yaml` of the folder `training/`.

    Returns:
        dict of `Table` by name.

    Raises:
        InputError: when there is no such file or it does not hold tables.
    """
    path = Path(folder) / "tables.yaml"
    if not path.is_file():
        raise InputError(
            "no such file", "Run from the root of the repository.", file=path
        )
    try:
        content = yaml.safe_load("\n".join(line for _, line in read_lines(path)))
        return pydantic.TypeAdapter(dict[str, Table]).validate_python(content)
    except yaml.YAMLError as error:
        reason = f"is not valid YAML ({getattr(error, 'problem', None) or error})"
    except pydantic.ValidationError as error:
        fault = error.errors()[0]
        reason = f"`{'.'.join(map(str, fault['loc']))}` is at fault ({fault['msg']})"
    raise InputError(reason, "Correct it; see the comment at its top.", file=path)


def read_table(folder, name):
    """What the file `NAME.yaml` of the folder `training/` holds, or `None`."""
    path = Path(folder) / f"{name}.yaml"
    if not path.exists():
        return None
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def row_recipe(folder, name, data, row=None):
    """The recipe of a row on a data set, see `named_recipe`.

    Args:
        folder: path of the folder `training/`.
        name: str. The row's name.
        data: str. The data set's.
        row: `Row`, or `None` for one whose recipe is a file of its own.
    """
    base = row and row.base and f"{row.base}-{data}"
    return named_recipe(folder, f"{name}-{data}", base, row.settings if base else None)


def named_recipe(folder, name, base=None, settings=None):
    """The recipe of a name.

    Args:
        folder: path of the folder `training/`.
        name: str.
        base: str or `None`. The recipe that it is but for its name and its
            `settings`, or `None` for a file of its own. Defaults to `None`.
        settings: dict, keys such as `model.order` and their values. Defaults to
            `None`.

    Returns:
        `(recipe, folder)` as `load_recipe` gives them, or `None` where there is
        no such file.

    Raises:
        InputError: for a faulty recipe, or one whose name is not its file's:
            its results would be filed under another row.
    """
    path = Path(folder) / "recipes" / f"{base or name}.yaml"
    if not path.exists():
        return None
    recipe, recipe_folder = load_recipe(path)
    if recipe.name != path.stem:
        raise InputError(
            f"has the name {recipe.name!r}", "Name it like its file.", file=path
        )
    if base:
        try:
            recipe = _changed(recipe, name, settings)
        except pydantic.ValidationError as error:
            raise InputError(
                f"the settings of {name!r} do not fit {path.name} "
                f"({error.errors()[0]['msg']})",
                "Correct the row of its table.",
                file=folder,
            ) from None
    return recipe, recipe_folder


def _changed(recipe, name, settings):
    """A recipe with another name and other values of some keys."""
    content = {**recipe.model_dump(exclude_unset=True), "name": name}
    for key, value in settings.items():
        *groups, last = key.split(".")
        place = content
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = value
    return type(recipe).model_validate(content)


@dataclass(frozen=True)
class Results:
    """Results of one recipe, comparable with each other.

    Attributes:
        by_seed: dict, seed to the figures of its result file.
        is_older: bool. Whether the recipe has changed since.
    """

    by_seed: dict
    is_older: bool = False


def read_results(folder, recipe):
    """Reads what `training/results/` holds of a recipe.

    Results of the recipe as it is now come first. Only where there are none,
    those of an older form of it stand in: of one form, that with most seeds.

    Returns:
        `Results`, empty where nothing is on file.

    Raises:
        InputError: for a damaged file.
    """
    forms = {}
    for path in sorted((Path(folder) / "results").glob(f"{recipe.name}-seed*.json")):
        figures = _read_result(path)
        form = forms.setdefault(figures["recipe_hash"], {})
        form[int(path.stem.rpartition("seed")[2])] = figures
    current = forms.pop(recipe.digest(), None)
    if current or not forms:
        return Results(current or {})
    return Results(max(forms.values(), key=len), is_older=True)


def _read_result(path):
    try:
        figures = json.loads(path.read_text(encoding="utf-8"))
        if missing := sorted(NEEDED - set(figures)):
            raise ValueError(f"it has no {', '.join(missing)}")
    except ValueError as error:
        raise InputError(
            f"is no result ({error})", "Restore it, or remove it.", file=path
        ) from None
    return figures
