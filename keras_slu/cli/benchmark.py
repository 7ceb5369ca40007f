"""`keras-slu benchmark`: size and latency of exported models."""

import json
from pathlib import Path
from typing import Annotated

import typer


def benchmark(
    exports: Annotated[
        list[Path], typer.Argument(help="SavedModel folders and .tflite files.")
    ],
    data: Annotated[str, typer.Option(help="Utterances to time, in any known format.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON.")
    ] = False,
):
    """Time exports on one utterance after the other; Frames are not in the time."""
    from keras_slu.data import read

    texts = [utterance.text for utterance in read(data)]
    rows = []
    for export in exports:
        rows += _measure(export, texts)
    if as_json:
        typer.echo(json.dumps({"data": data, "exports": rows}, indent=2))
    else:
        _print(rows)


def _measure(export, texts):
    """A row for each number of threads."""
    from keras_slu.cli.export import size_in_megabytes
    from keras_slu.cli.status import status
    from keras_slu.export.latency import litert_times
    from keras_slu.export.latency import saved_model_times
    from keras_slu.export.latency import summary
    from keras_slu.training.threads import usable_cores

    rows = []
    is_litert = export.suffix == ".tflite"
    for threads in (1, usable_cores()) if is_litert else (None,):
        with status(f"Timing {export}"):
            if is_litert:
                times = litert_times(export, texts, threads)
            else:
                times = saved_model_times(export, texts)
        size = round(size_in_megabytes(export), 2)
        rows.append(
            {"export": str(export), "megabytes": size, "threads": threads}
            | summary(times)
        )
    return rows


def _print(rows):
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("", "MB", "threads", "median ms", "95 % ms")
    for row in rows:
        table.add_row(
            Text(row["export"]),
            f"{row['megabytes']:.1f}",
            str(row["threads"] or "TensorFlow's"),
            f"{row['median_ms']:.2f}",
            f"{row['p95_ms']:.2f}",
        )
    table.caption = f"batch 1, {rows[0]['utterances']} utterances, least of 3 runs each"
    Console().print(table)
