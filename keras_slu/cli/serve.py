"""`keras-slu serve`: a run or an export over HTTP."""

import re
from pathlib import Path
from typing import Annotated

import typer

from keras_slu.cli.status import status


def serve(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="RUN_OR_EXPORT",
            help="Folder of a finished run, of an exported version, or of versions.",
        ),
    ],
    host: Annotated[
        str, typer.Option(help="Address to listen at. 0.0.0.0: every one.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen at. 0: any.")
    ] = 8501,
    name: Annotated[str, typer.Option(help="Name of the model in the paths.")] = "slu",
):
    """Serve REST calls as TF Serving does, and a page to try the model."""
    from keras_slu.errors import InputError

    if not re.fullmatch(r"[A-Za-z0-9._-]+", name):
        raise InputError(
            f"no model can have the name {name!r}",
            "Use letters, digits, dots, dashes and underscores only.",
        )
    try:
        from keras_slu.serving.app import Limits
        from keras_slu.serving.app import make_app
        from keras_slu.serving.server import listen
        from keras_slu.serving.server import make_server
    except ModuleNotFoundError as error:
        raise InputError(
            f"{error.name} is not installed", "pip install 'keras-slu[serving]'"
        ) from None

    # The address first: the model takes seconds.
    with listen(host, port) as listener:
        from keras_slu.serving.model import load_served

        with status(f"Loading {source}"):
            app = make_app(load_served(source, name), name, Limits())
        address = _address(*listener.getsockname()[:2])
        typer.echo(f"A page to try it: {address}/ (Ctrl-C ends it)")
        typer.echo(f"keras-slu query {address} --name {name} 'some text'")
        try:
            make_server(app).run(sockets=[listener])
        except KeyboardInterrupt:
            pass  # the way to end it
        typer.echo("Stopped.")


def _address(host, port):
    """The URL of an address.

    >>> _address("::1", 8501)
    'http://[::1]:8501'
    """
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
