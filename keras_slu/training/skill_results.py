"""The tables of SkillNets in `training/RESULTS.md`."""

import statistics
from typing import NamedTuple

from keras_slu.evaluation.skill_scores import MAIN
from keras_slu.training.markdown_table import markdown_table
from keras_slu.training.spread import spread
from keras_slu.training.tables import named_recipe
from keras_slu.training.tables import read_results
from keras_slu.training.tables import read_table

HEAD = """\
Cells are percent, on test; of two figures the mean takes the one that selects the
epoch. *Active* parameters are the mean over the tasks. Values are means over seeds ±
the standard deviation of the sample; fewer than three seeds are a first look.
`keras-slu reproduce {name}` trains what is missing.
"""
BESIDE = {"chance": "Chance", "majority": "Majority"}
MEASURED = ("mean", "seeds", "parameters", "active", "epochs", "s/epoch")


def load_skill_tables(folder):
    """The tables of `skills.yaml` in the folder `training/`, a dict by name."""
    return read_table(folder, "skills") or {}


def row_recipes(folder, row):
    """The recipes of a row, list of `(recipe, folder)`.

    They are files or, with a `base`, that recipe with the row's `settings`.
    """
    return [
        named_recipe(folder, name, row.get("base"), row.get("settings"))
        for name in row["recipes"]
    ]


def skill_sections(folder):
    """The sections in Markdown, one for each table of `skills.yaml`.

    Args:
        folder: path of the folder `training/`.

    Returns:
        str; empty where there is no `skills.yaml`.
    """
    tables = load_skill_tables(folder)
    return "\n".join(_section(folder, name, tables[name]) for name in tables)


def _section(folder, name, table):
    tasks = table["tasks"]
    titles = [f"{name} ({', '.join(_told(f) for f in tasks[name])})" for name in tasks]
    rows = [_row(folder, row, tasks) for row in table["rows"]]
    measured = [row for row in rows if row is not None]
    lines = [
        [row["title"], *(found.cells if found else ())]
        for row, found in zip(table["rows"], rows, strict=True)
    ]
    for key, title in BESIDE.items() if measured else ():
        test = measured[0].test
        lines.append([title, *(f"{100 * test[name][key]:.2f}" for name in tasks)])
    head = f"## {table['title']}\n\n{table['source'].strip()}\n\n"
    shown = markdown_table(("", *titles, *MEASURED), lines)
    return f"{head}{HEAD.format(name=name)}\n{shown}"


class _Row(NamedTuple):
    """A row that was measured: its cells, and the test scores of one seed."""

    cells: list[str]
    test: dict


def _row(folder, row, tasks):
    """The `_Row` of the seeds that all its recipes have, `None` without one."""
    recipes = [recipe for recipe, _ in row_recipes(folder, row)]
    results = [read_results(folder, recipe) for recipe in recipes]
    seeds = sorted(set.intersection(*(set(found.by_seed) for found in results)))
    if not seeds:
        return None
    runs = [[found.by_seed[seed] for found in results] for seed in seeds]
    tests = [
        {name: run["test"][name] for run in of_seed for name in run["test"]}
        for of_seed in runs
    ]
    kinds = {name: task.kind for r in recipes for name, task in r.data.items()}
    cells = [
        " / ".join(spread([test[name][figure] for test in tests]) for figure in figures)
        for name, figures in tasks.items()
    ]
    means = [
        statistics.mean(test[name][MAIN[kinds[name]]] for name in tasks)
        for test in tests
    ]
    older = ", of an older recipe" if any(found.is_older for found in results) else ""
    active = [count for run in runs[0] for count in run["active_parameters"].values()]
    measured = [
        spread(means),
        f"{len(seeds)}{older}",
        f"{sum(run['parameters'] for run in runs[0]):,}",
        f"{round(statistics.mean(active)):,}",
        _mean_of(runs, "epochs"),
        _mean_of(runs, "seconds_per_epoch", sum),
    ]
    return _Row([*cells, *measured], tests[0])


def _mean_of(runs, key, of_recipes=statistics.mean):
    """A figure's mean over seeds, of the mean or the sum over recipes."""
    values = [of_recipes([run[key] for run in of_seed]) for of_seed in runs]
    return f"{statistics.mean(values):.3g}"


def _told(figure):
    return {"f1": "F1", "top_1": "top-1"}.get(figure, figure.replace("_", " "))
