"""The plots of `training/figures/`: results of a table's rows as lines."""

import statistics
from pathlib import Path

from keras_slu.files import atomic_path
from keras_slu.training.pictures import line_picture
from keras_slu.training.tables import read_results
from keras_slu.training.tables import row_recipe


def write_figures(folder, name, table):
    """Draws a table's figure for each data set that has results.

    Args:
        folder: path of the folder `training/`.
        name: str. The table's name.
        table: `Table` that has a figure.

    Returns:
        list of paths, `figures/<name>-<data>.png` in `folder`.
    """
    from matplotlib.image import imsave

    written = []
    for data in table.data:
        lines = {
            title: _points(folder, table, data, rows)
            for title, rows in table.figure.lines.items()
        }
        if not any(lines.values()):
            continue
        path = Path(folder) / "figures" / f"{name}-{data}.png"
        title = f"{table.title}, {data.upper()}"
        labels = (title, table.figure.x, "overall accuracy on test, %")
        with atomic_path(path) as temporary:
            imsave(temporary, line_picture(lines, *labels), format="png")
        written.append(path)
    return written


def _points(folder, table, data, rows):
    """`(x, mean, deviation)` in percent of each row that was measured."""
    points = []
    for name, x in rows.items():
        found = row_recipe(folder, name, data, table.rows[name])
        runs = read_results(folder, found[0]).by_seed.values() if found else ()
        scores = [100 * figures["test"]["overall_accuracy"] for figures in runs]
        if scores:
            spread = statistics.stdev(scores) if len(scores) > 1 else 0.0
            points.append((x, statistics.mean(scores), spread))
    return points
