"""Tables of scores for the terminal."""

from rich.console import Console
from rich.table import Table

ROWS = {
    "overall_accuracy": "overall accuracy",
    "intent_accuracy": "intent accuracy",
    "intent_accuracy_exact_string": "intent accuracy, exact string",
    "intent_f1": "intent F1",
    "slot_f1": "slot F1 (conlleval)",
    "slot_f1_strict": "slot F1 (strict IOB2)",
    "token_accuracy": "token accuracy",
}
NEAR = 0.15  # a majority this near is shown beside the result


def print_scores(columns):
    """Prints scores side by side.

    Args:
        columns: dict; each value that is a dict is a column of scores, as
            `Scores.to_dict` gives them, under its key as title.
    """
    columns = {name: s for name, s in columns.items() if isinstance(s, dict)}
    first = next(iter(columns.values()))
    majority = first.get("majority", {})
    near = any(
        first[row] - majority.get(row, 0.0) < NEAR
        for row in ("overall_accuracy", "intent_accuracy", "slot_f1")
    )
    if near:
        columns = {**columns, "majority": majority}
    table = Table("", *(title.replace("_", " ") for title in columns))
    for row, title in ROWS.items():
        if row == "intent_accuracy_exact_string" and all(
            scores.get(row) == scores.get("intent_accuracy")
            for scores in columns.values()
        ):
            continue
        table.add_row(
            title, *(_percent(scores.get(row)) for scores in columns.values())
        )
    table.caption = f"% of {first['utterances']} utterances"
    Console().print(table)


def print_figures(figures):
    """Prints the scores of a finished training, dev and test side by side."""
    titles = {
        "dev": "dev",
        "test": "test",
        "test_raw_text": "test, raw text",
    }
    print_scores({t: figures[key] for key, t in titles.items() if key in figures})
    Console().print(
        f"{figures['recipe']} ({figures['recipe_hash']}), seed {figures['seed']}: "
        f"{figures['parameters']:,} parameters, epoch {figures['epochs']} of "
        f"{figures['epochs_trained']} selected, {figures['seconds_per_epoch']} s an "
        f"epoch on {figures['cores']} cores",
        highlight=False,
    )


def _percent(fraction):
    return "–" if fraction is None else f"{100 * fraction:.2f}"
