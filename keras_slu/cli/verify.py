"""`keras-slu verify`: do the exports of a run answer as it does?"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

SHOWN = 5  # differences of an export; --json has them all
FIGURES = ("overall_accuracy", "intent_accuracy", "slot_f1")


def verify(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    exports: Annotated[
        list[Path], typer.Argument(help="SavedModel folders and .tflite files of it.")
    ],
    data: Annotated[
        str, typer.Option(help="Labelled utterances to parse, in any known format.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print everything as JSON.")
    ] = False,
):
    """Parse data with a run and its exports; exit code 1 if a float one differs."""
    from keras_slu.cli.labelled import read_for

    utterances = read_for(run, data)

    from keras_slu.cli.status import status
    from keras_slu.export.verification import verify as verify_exports

    with status(f"Parsing {len(utterances)} utterances"):
        scores, agreements = verify_exports(run, exports, utterances)
    if as_json:
        typer.echo(json.dumps(_as_dict(data, scores, agreements), indent=2))
    else:
        print_agreements(scores, agreements)
    if not all(agreement.holds for agreement in agreements):
        raise typer.Exit(1)


def _as_dict(data, scores, agreements):
    return {
        "data": data,
        "run": scores.to_dict(),
        "exports": [
            {**asdict(agreement), "scores": agreement.scores.to_dict()}
            for agreement in agreements
        ],
    }


def print_agreements(scores, agreements):
    """Prints what `keras_slu.export.verification.verify` gives."""
    _print_table(scores, agreements)
    for agreement in agreements:
        _print_differences(agreement)


def _print_table(scores, agreements):
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table()
    table.add_column("", overflow="fold", min_width=12)
    titles = ("weights", "overall", "intent", "slot F1", "differ/tie/cut", "gap")
    for title in titles:
        table.add_column(title, no_wrap=True)
    own = [f"{100 * getattr(scores, figure):.2f}" for figure in FIGURES]
    table.add_row("the run", "float32", *own)
    for agreement in agreements:
        moves = [
            getattr(agreement.scores, figure) - getattr(scores, figure)
            for figure in FIGURES
        ]
        is_float = agreement.quantize == "none"
        table.add_row(
            Text("/".join(Path(agreement.export).parts[-2:])),
            "float32" if is_float else agreement.quantize,
            *[f"{100 * move:+.2f}" for move in moves],
            f"{len(agreement.differences)}/{len(agreement.ties)}/{agreement.cut}",
            f"{agreement.largest:.1e}",
        )
    table.caption = Text(
        f"over {scores.utterances} utterances; exports' scores are changes, in points; "
        "gap: the largest of a probability where the answer is the same"
    )
    Console().print(table)


def _print_differences(agreement):
    for kind in ("differences", "ties"):
        found = getattr(agreement, kind)
        if not found:
            continue
        typer.echo(f"\n{kind.capitalize()} of {agreement.export}:")
        for item in found[:SHOWN]:
            typer.echo(f"  {item['text']}")
            for side in ("run", "export"):
                typer.echo(f"    {side}: {json.dumps(item[side], ensure_ascii=False)}")
        if len(found) > SHOWN:
            typer.echo(f"  and {len(found) - SHOWN} more: see --json")
