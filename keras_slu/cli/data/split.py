"""`keras-slu data split`: train, dev and test from one set of data."""

from pathlib import Path
from typing import Annotated

import typer

from keras_slu.cli.data.arguments import SourceFormat


def split(
    data: Annotated[str, typer.Argument(help="Labelled data, in any known format.")],
    output: Annotated[Path, typer.Option(help="The folder to make.")],
    dev: Annotated[float, typer.Option(help="Share of dev.")] = 0.1,
    test: Annotated[float, typer.Option(help="Share of test.")] = 0.1,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, another draw.")] = 1,
    source_format: SourceFormat = None,
    target_format: Annotated[
        str, typer.Option("--to", help="Format to write, as data convert does.")
    ] = "json-lines",
):
    """Divide data, each intent by its share; equal texts stay together."""
    from keras_slu.cli.data.progress import watching
    from keras_slu.data.splitting import split

    with watching() as watch:
        counts = split(
            data,
            output,
            dev,
            test,
            seed,
            format=source_format,
            to=target_format,
            watch=watch,
        )
    numbers = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    typer.echo(f"Wrote {numbers} utterances to {output}.")
