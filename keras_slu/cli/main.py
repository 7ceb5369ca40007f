"""The entry point of `keras-slu`: its commands, and how errors end it."""

import os
import sys
from typing import Annotated

import typer

import keras_slu
from keras_slu.cli.attention import attention
from keras_slu.cli.benchmark import benchmark
from keras_slu.cli.calibrate import calibrate
from keras_slu.cli.compare import compare
from keras_slu.cli.convert_checkpoint import convert_checkpoint
from keras_slu.cli.data import app as data
from keras_slu.cli.demo import demo
from keras_slu.cli.evaluate import evaluate
from keras_slu.cli.export import export
from keras_slu.cli.init import init
from keras_slu.cli.predict import predict
from keras_slu.cli.punctuate import punctuate
from keras_slu.cli.query import query
from keras_slu.cli.reproduce import reproduce
from keras_slu.cli.serve import serve
from keras_slu.cli.skills import app as skills
from keras_slu.cli.train import train
from keras_slu.cli.translate import translate
from keras_slu.cli.understand import understand
from keras_slu.cli.verify import verify
from keras_slu.errors import InputError

app = typer.Typer(
    name="keras-slu",
    no_args_is_help=True,
    rich_markup_mode=None,  # plain help: faster, and brackets stay as they are
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    demo,
    init,
    train,
    evaluate,
    calibrate,
    compare,
    predict,
    punctuate,
    understand,
    translate,
    attention,
    export,
    verify,
    benchmark,
    serve,
    query,
    reproduce,
    convert_checkpoint,
):
    app.command()(command)
app.add_typer(data)
app.add_typer(skills)


def _print_version(wanted: bool):
    if wanted:
        typer.echo(keras_slu.__version__)
        raise typer.Exit()


@app.callback()
def keras_slu_command(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and leave.",
        ),
    ] = False,
):
    """From what somebody said to what they meant: intents and slots."""


def main():
    """Runs the command line and exits with its code.

    0: done. 1: the reader of our output has gone, or a fault of ours, with a
    traceback. 2: the user's input or arguments cannot be used, told in one
    line. 130: interrupted (typer sees to that).
    """
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except InputError as error:
        typer.secho(f"error: {error}", fg=typer.colors.RED, err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The interpreter flushes once more at exit: let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
