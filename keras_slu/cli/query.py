"""`keras-slu query`: Frames of texts from a server, as JSON lines."""

from typing import Annotated

import typer

from keras_slu.cli.predict import print_frames


def query(
    url: Annotated[
        str,
        typer.Argument(
            help="The server, http://HOST:PORT, or a model on it: "
            "http://HOST:PORT/v1/models/NAME/versions/N."
        ),
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts to parse. Default: the lines of standard input."),
    ] = None,
    name: Annotated[
        str, typer.Option(help="Name of the model, where the URL has none.")
    ] = "slu",
    batch: Annotated[
        int,
        typer.Option(min=1, help="Lines of standard input sent at a time."),
    ] = 32,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds to wait for an answer.")
    ] = 30.0,
):
    """Parse texts with `keras-slu serve` or TF Serving; print JSON lines."""
    from keras_slu.serving.client import Client

    print_frames(Client(url, name, timeout), texts, batch)
