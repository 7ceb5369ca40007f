"""`keras-slu predict`: Frames of texts, as JSON lines."""

import json
import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer


def predict(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts to parse. Default: the lines of standard input."),
    ] = None,
    batch: Annotated[
        int,
        typer.Option(min=1, help="Lines of standard input parsed at a time."),
    ] = 64,
):
    """Parse texts and print one JSON object a line."""
    from keras_slu.parsing.loading import load_to_parse

    print_frames(load_to_parse(run), texts, batch)


def print_frames(parser, texts, batch):
    """Prints the Frames of texts, or of the lines of standard input if none."""
    lines = iter(texts) if texts else standard_input()
    if not texts and sys.stdin.isatty():
        batch = 1  # answer each line as it is typed
    while chunk := list(islice(lines, batch)):
        for frame in parser.parse(chunk):
            line = json.dumps(frame.to_dict(), ensure_ascii=False) + "\n"
            # A lone surrogate has no UTF-8; its escape is valid JSON.
            sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()


def standard_input():
    """Lines without their ends; bytes that are no UTF-8 become U+FFFD."""
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
