"""A translator's scores, for the terminal."""

from rich.console import Console
from rich.table import Table


def print_translation_figures(figures):
    """Prints the scores of a finished translation run.

    Args:
        figures: dict, as its `metrics.json` holds them.
    """
    table = Table("", "search", "BLEU", "length ratio", box=None)
    for split in ("dev", "test"):
        for search, scores in figures.get(split, {}).items():
            if search == "sentences":
                continue
            table.add_row(
                split,
                search.replace("_", " "),
                f"{scores['bleu']:.2f}",
                f"{scores['length_ratio']:.3f}",
            )
    Console().print(table)
