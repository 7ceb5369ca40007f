"""`training/RESULTS.md`: published figures beside what was measured here."""

import statistics
from pathlib import Path

from keras_slu.files import write_text
from keras_slu.training.markdown_table import markdown_table
from keras_slu.training.punctuation_results import punctuation_section
from keras_slu.training.skill_results import skill_sections
from keras_slu.training.spread import spread
from keras_slu.training.tables import SCORES
from keras_slu.training.tables import load_tables
from keras_slu.training.tables import read_results
from keras_slu.training.tables import row_recipe
from keras_slu.training.translation_results import translation_section
from keras_slu.training.turns_section import turns_section

ENOUGH = 3  # seeds; fewer are a first look
NEAR = 0.15  # a majority this near is shown beside the result
COLUMNS = (
    "", "paper", "re-run", "ours", "strict slot F1", "seeds", "parameters", "epochs",
    "s/epoch", "cores", "recipe",
)  # fmt: skip

HEAD = """\
# Results

Written by `keras-slu reproduce` from `results/`; do not edit.

Triples are slot F1 / intent accuracy / overall accuracy in percent, on test.
Slot F1 is micro over spans as `conlleval` reads them; strict is IOB2. Intent
accuracy wants the whole set of intents right, overall accuracy every tag too. The
weights are those of the epoch with the best overall accuracy on dev; test is scored
once.

*Paper* is what was published, *re-run* what others got with code of their own, and
*ours* what was measured here: the mean over seeds ± the standard deviation of the
sample. Fewer than three seeds are a first look. *Epochs* is the one selected, the
mean over seeds. An empty cell was not published, or not measured yet. A result *of an
older recipe* was made before the recipe had its present form.
"""

DIFFERENCES = """\
Higher order minus first order, in points, over the seeds that both have; the last
column counts the seeds with a higher overall accuracy:

"""


def write_results_page(folder):
    """Writes `RESULTS.md` of the folder `training/` anew from what is on file.

    Raises:
        InputError: for a faulty table, recipe or result.
    """
    folder = Path(folder)
    write_text(folder / "RESULTS.md", results_page(folder, load_tables(folder)))


def results_page(folder, tables):
    """The page in Markdown.

    Args:
        folder: path of the folder `training/`.
        tables: dict of `Table` by name.

    Returns:
        str.
    """
    parts = [HEAD]
    for name, table in tables.items():
        parts.append(
            f"## {table.title}\n\n{table.source}\n\n"
            f"`keras-slu reproduce {name}` trains what is missing.\n"
        )
        parts += [_data_section(folder, table, data) for data in table.data]
    others = (punctuation_section, translation_section, skill_sections)
    parts += filter(None, [section(folder) for section in others])
    return "\n".join(parts)


def _data_section(folder, table, data):
    measured = {}
    lines = []
    notes = []
    for key, row in table.rows.items():
        found = row_recipe(folder, key, data, row)
        results = found and read_results(folder, found[0])
        published = [_published(of.get(data, ())) for of in (row.paper, row.rerun)]
        ours = [""] * (len(COLUMNS) - 3)
        if results and results.by_seed:
            measured[key] = results
            ours = _ours(results, found[0].name)
            notes += _notes(row.title, results)
        lines.append([row.title, *published, *ours])
    titles = {key: row.title for key, row in table.rows.items()}
    parts = [
        f"### {data.upper()}\n",
        markdown_table(COLUMNS, lines),
        *notes,
        *_differences(table, measured),
        turns_section(titles, measured),
    ]
    return "\n".join(filter(None, parts))


def _published(percents):
    """A triple as printed, with one decimal or two.

    >>> _published([94.6, 98.0, 87.1]), _published([96.18, 99.12, 91.8])
    ('94.6 / 98.0 / 87.1', '96.18 / 99.12 / 91.80')
    """
    places = 1 if all(round(value, 1) == value for value in percents) else 2
    return " / ".join(f"{value:.{places}f}" for value in percents)


def _ours(results, recipe):
    """The cells of a row that was measured."""
    runs = list(results.by_seed.values())

    def values(key):
        return [figures[key] for figures in runs]

    def scores(key):
        return [figures["test"][key] for figures in runs]

    return [
        " / ".join(spread(scores(key)) for key in SCORES),
        spread(scores("slot_f1_strict")),
        _seeds(len(runs), results.is_older),
        f"{runs[0]['parameters']:,}",
        f"{statistics.mean(values('epochs')):.3g}",
        f"{statistics.mean(values('seconds_per_epoch')):.3g}",
        ", ".join(str(cores) for cores in sorted(set(values("cores")))),
        f"{recipe} `{runs[0]['recipe_hash']}`",
    ]


def _seeds(count, is_older):
    """How many seeds, and what that is worth.

    >>> _seeds(3, False), _seeds(1, True)
    ('3', '1, first look, of an older recipe')
    """
    words = [str(count)]
    if count < ENOUGH:
        words.append("first look")
    if is_older:
        words.append("of an older recipe")
    return ", ".join(words)


def _notes(title, results):
    """What the protocol wants told where it makes a difference."""
    tests = [figures["test"] for figures in results.by_seed.values()]
    exact = [test["intent_accuracy_exact_string"] for test in tests]
    if exact != [test["intent_accuracy"] for test in tests]:
        yield f"{title}: intent accuracy by exact string {spread(exact)}.\n"
    for key, name in SCORES.items():
        mean = statistics.mean(test[key] for test in tests)
        majority = tests[0]["majority"][key]
        if mean - majority < NEAR:
            yield f"{title}: {name} of the majority {100 * majority:.2f}.\n"


def _differences(table, measured):
    """The pairs of which both were measured with a common seed."""
    lines = []
    for higher, first in table.differences:
        if higher not in measured or first not in measured:
            continue
        sides = measured[higher], measured[first]
        seeds = sorted(sides[0].by_seed.keys() & sides[1].by_seed.keys())
        if seeds:
            title = f"{table.rows[higher].title} - {table.rows[first].title}"
            lines.append([title, *_difference(*sides, seeds)])
    if not lines:
        return []
    columns = ("", *SCORES.values(), "seeds", "higher in")
    return [DIFFERENCES + markdown_table(columns, lines)]


def _difference(higher, first, seeds):
    differences = {
        key: [
            higher.by_seed[seed]["test"][key] - first.by_seed[seed]["test"][key]
            for seed in seeds
        ]
        for key in SCORES
    }
    gained = sum(value > 0 for value in differences["overall_accuracy"])
    return [
        *(spread(values, sign="+") for values in differences.values()),
        _seeds(len(seeds), higher.is_older or first.is_older),
        f"{gained} of {len(seeds)}",
    ]
