"""`keras-slu compare`: runs side by side on the same data."""

import json
from pathlib import Path
from typing import Annotated

import typer

SHOWN = 10  # utterances that the runs differ on; --json has them all
FIGURES = {
    "overall_accuracy": "overall accuracy",
    "intent_accuracy": "intent accuracy",
    "intent_f1": "intent F1",
    "slot_f1": "slot F1",
}


def compare(
    runs: Annotated[
        list[Path], typer.Argument(help="Two runs or more; the first is the baseline.")
    ],
    data: Annotated[str, typer.Argument(help="Labelled data, in any known format.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON.")
    ] = False,
):
    """Compare runs on raw text: scores, tests of the differences, utterances."""
    from keras_slu.cli.labelled import read_for

    names = _names(runs)
    utterances = read_for(runs[0], data)

    from keras_slu.cli.status import status
    from keras_slu.evaluation.comparison import compare as compare_answers
    from keras_slu.parsing.loading import load_to_parse

    answers = {}
    for run, name in zip(runs, names, strict=True):
        with status(f"Parsing with {name}"):
            answers[name] = load_to_parse(run).frames_of(utterances)
    comparison = compare_answers(utterances, answers)
    if as_json:
        typer.echo(json.dumps({"data": data, **comparison}, indent=2))
    else:
        _print(comparison)


def _names(runs):
    """The folders' names, or whole paths where names are not distinct."""
    from keras_slu.errors import InputError

    if len(runs) < 2:
        raise InputError(
            "one run cannot be compared",
            "Name two runs or more, then the data.",
            file=runs[0],
        )
    paths = [run.resolve() for run in runs]
    for place, path in enumerate(paths):
        if path in paths[:place]:
            raise InputError("is named twice", "Name it once.", file=runs[place])
    names = [path.name for path in paths]
    return names if len(set(names)) == len(names) else [str(path) for path in paths]


def _print(comparison):
    from keras_slu.cli.scores import print_scores

    first, *_ = comparison["runs"]
    print_scores({name: run["scores"] for name, run in comparison["runs"].items()})
    for test in comparison["tests"]:
        _print_test(first, test)
    _print_differences(comparison["differences"])


def _print_test(first, test):
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        "", "difference", "95 % interval", "p", "test", title=Text(test["name"])
    )
    for figure, title in FIGURES.items():
        row = test[figure]
        low, high = row["interval"]
        how = "paired bootstrap"
        if "only_first" in row:
            how = f"McNemar, {row['only_second']} gained, {row['only_first']} lost"
        table.add_row(
            title,
            f"{100 * row['difference']:+.2f}",
            f"{100 * low:+.2f} to {100 * high:+.2f}",
            f"{row['p_value']:.3g}",
            how,
        )
    table.caption = Text(
        f"against {first}, in points. It tests these runs alone: a claim about "
        "models needs several seeds of each."
    )
    Console().print(table)


def _print_differences(differences):
    typer.echo(f"\nThe runs differ on {len(differences)} utterances.")
    for difference in differences[:SHOWN]:
        typer.echo(f"\n{difference['text']}\n  gold: {_meaning(difference['gold'])}")
        for name, answer in difference["answers"].items():
            mark = "right" if answer["is_right"] else "wrong"
            typer.echo(f"  {name} ({mark}): {_meaning(answer)}")
    if len(differences) > SHOWN:
        typer.echo(f"\nAnd {len(differences) - SHOWN} more: see --json.")


def _meaning(answer):
    slots = "".join(f" {slot['name']}={slot['value']!r}" for slot in answer["slots"])
    return (" + ".join(answer["intents"]) or "(no intent)") + slots
