"""`keras-slu punctuate`: marks for a transcript of any length."""

import io
import json
import sys
from contextlib import contextmanager
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

BLOCK = 2**16  # characters that are read at a time
EVERY = 1000  # words from one move of the progress to the next


class Format(str, Enum):
    text = "text"
    sentences = "sentences"
    json = "json"


class Existing(str, Enum):
    keep = "keep"
    replace = "replace"


def punctuate(
    run: Annotated[Path, typer.Argument(help="Folder of a punctuation run.")],
    file: Annotated[
        Path | None,
        typer.Argument(help="A transcript. Default: standard input."),
    ] = None,
    format: Annotated[
        Format,
        typer.Option(
            help="text: as it is, with marks; sentences: one a line; json: one word "
            "a line, with offsets."
        ),
    ] = Format.text,
    existing: Annotated[
        Existing,
        typer.Option(help="What becomes of marks that the transcript has."),
    ] = Existing.keep,
    casing: Annotated[
        bool, typer.Option("--casing", help="Begin sentences with a capital.")
    ] = False,
):
    """Put punctuation marks into a transcript of any length."""
    from keras_slu.cli.loading import load_punctuator

    with open_transcript(file) as source:
        punctuator = load_punctuator(run)
        parts = iter(lambda: source.read(BLOCK), "")
        words = _watched(punctuator.words(parts, existing.value, casing))
        # Text goes through byte by byte; JSON must be UTF-8.
        is_json = format is Format.json
        errors = "backslashreplace" if is_json else "surrogateescape"
        for text in _WRITERS[format](words):
            sys.stdout.buffer.write(text.encode("utf-8", errors))
    sys.stdout.buffer.flush()


@contextmanager
def open_transcript(file):
    """The transcript, line ends and bytes that are no UTF-8 as they are."""
    from keras_slu.errors import InputError

    how = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
    if file is None:
        yield io.TextIOWrapper(sys.stdin.buffer, **how)
        return
    try:
        source = open(file, **how)
    except OSError as error:
        raise InputError(error.strerror, "Check the path.", file=file) from None
    with source:
        yield source


def _watched(words):
    """Gives the words on, and shows on a terminal how many there were."""
    from rich.console import Console
    from rich.progress import Progress
    from rich.progress import SpinnerColumn
    from rich.progress import TextColumn
    from rich.progress import TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.completed:,} words"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bars:
        task = bars.add_task("", total=None)
        for number, word in enumerate(words, 1):
            if not number % EVERY:
                bars.update(task, completed=number)
            yield word


def _sentence_lines(words):
    """Words with single spaces between them, each sentence on a line."""
    glue = ""
    for word in words:
        if word.text:  # not what stands behind the last word
            yield f"{glue}{word.text}{word.mark}"
            glue = "\n" if word.ends_sentence else " "
    if glue:
        yield "\n"


def _json_lines(words):
    for word in words:
        if word.text:
            yield json.dumps(word.to_dict(), ensure_ascii=False) + "\n"


_WRITERS = {
    Format.text: partial(map, str),
    Format.sentences: _sentence_lines,
    Format.json: _json_lines,
}
