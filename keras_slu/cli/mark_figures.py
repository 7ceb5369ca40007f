"""A table of a punctuation model's scores for the terminal."""

from rich.console import Console
from rich.table import Table

from keras_slu.data.marked_words import MARKS

SPLITS = {"dev": "dev", "test": "test", "test_asr": "test, recognised"}
COLUMNS = ("precision", "recall", "f1")


def print_mark_figures(figures):
    """Prints the scores of a finished training, one line a split and mark."""
    table = Table("", "mark", "precision", "recall", "F1")
    for split, title in SPLITS.items():
        scores = figures.get(split, {})
        marks = {name: scores[name] for name in MARKS if name in scores}
        for mark, of_mark in {"all": scores, **marks}.items() if scores else ():
            cells = (f"{100 * of_mark[column]:.2f}" for column in COLUMNS)
            table.add_row(title, mark, *cells)
            title = ""
    Console().print(table)
    Console().print(
        f"{figures['recipe']} ({figures['recipe_hash']}), seed {figures['seed']}: "
        f"{figures['parameters']:,} parameters, epoch {figures['epochs']} of "
        f"{figures['epochs_trained']} selected, {figures['seconds_per_epoch']} s an "
        f"epoch on {figures['cores']} cores",
        highlight=False,
    )
