"""A table of a SkillNet's scores for the terminal."""

from rich.console import Console
from rich.table import Table

# The main figures first; those of chance and majority are told by themselves.
FIGURES = {
    "accuracy": "accuracy",
    "exact_match": "exact match",
    "f1": "F1",
    "top_1": "top-1",
}


def print_skill_figures(figures):
    """Prints the scores of a finished training, one line a split and task.

    Args:
        figures: dict, as the run's `metrics.json` holds them.
    """
    table = Table("", "task", *FIGURES.values(), "chance", "majority", box=None)
    for split in ("dev", "test"):
        title = split
        of_split = dict(figures.get(split, {}))
        mean = of_split.pop("mean", None)
        for task, scores in of_split.items():
            keys = (*FIGURES, "chance", "majority")
            table.add_row(title, task, *(_percent(scores.get(key)) for key in keys))
            title = ""
        if mean is not None:
            table.add_row("", "mean", _percent(mean))
    Console().print(table)
    Console().print(
        f"{figures['recipe']} ({figures['recipe_hash']}), seed {figures['seed']}: "
        f"{figures['parameters']:,} parameters, epoch {figures['epochs']} of "
        f"{figures['epochs_trained']} selected, {figures['seconds_per_epoch']} s an "
        f"epoch on {figures['cores']} cores",
        highlight=False,
    )


def _percent(value):
    return "" if value is None else f"{100 * value:.2f}"
