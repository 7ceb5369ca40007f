"""The punctuation tables of `training/RESULTS.md`."""

import statistics

from keras_slu.data.marked_words import MARKS
from keras_slu.training.markdown_table import markdown_table
from keras_slu.training.tables import named_recipe
from keras_slu.training.tables import read_results
from keras_slu.training.tables import read_table

SPLITS = {"test": "Reference", "test_asr": "Recognised"}
SCORES = ("precision", "recall", "f1")
COLUMNS = ("", "all", *list(MARKS)[:3], "seeds", "parameters", "epochs", "s/epoch")

HEAD = """\
## Punctuation

{source}

Cells are precision / recall / F1 in percent, published ones F1 alone where no more
is known. `keras-slu reproduce punctuation` trains what is missing.
"""


def punctuation_section(folder):
    """The section in Markdown; empty where `punctuation.yaml` is not there.

    Args:
        folder: path of the folder `training/`.

    Returns:
        str.
    """
    table = read_table(folder, "punctuation")
    if table is None:
        return ""
    parts = [HEAD.format(source=table["source"].strip())]
    for split, title in SPLITS.items():
        rows = [_row(folder, name, row, split) for name, row in table["rows"].items()]
        parts.append(f"### {title}\n")
        parts.append(markdown_table(COLUMNS, filter(None, rows)))
    return "\n".join(parts)


def _row(folder, name, row, split):
    """The cells of a row, or `None` if the split has nothing for it."""
    found = named_recipe(folder, name)
    if found is None:
        published = row["published"].get(split)
        return published and [row["title"], *map(_published, _by_mark(published))]
    results = read_results(folder, found[0])
    runs = list(results.by_seed.values())
    if not runs:
        return [f"{row['title']} (`{name}`)"]
    columns = [
        [_scores_of(run[split], column) for run in runs] for column in COLUMNS[1:5]
    ]
    older = ", of an older recipe" if results.is_older else ""
    return [
        f"{row['title']} (`{name}`)",
        *map(_mean, columns),
        f"{len(runs)}{older}",
        f"{runs[0]['parameters']:,}",
        f"{statistics.mean(run['epochs'] for run in runs):.3g}",
        f"{statistics.mean(run['seconds_per_epoch'] for run in runs):.3g}",
    ]


def _by_mark(published):
    return [published.get(column, ()) for column in COLUMNS[1:5]]


def _published(value):
    values = value if isinstance(value, list) else [value] if value else []
    return " / ".join(f"{number:.1f}" for number in values)


def _scores_of(scores, column):
    of_column = scores if column == "all" else scores[column]
    return [of_column[name] for name in SCORES]


def _mean(triples):
    means = (statistics.mean(values) for values in zip(*triples, strict=True))
    return " / ".join(f"{100 * mean:.1f}" for mean in means)
