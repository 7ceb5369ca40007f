"""`keras-slu translate`: lines in, their translations out."""

import sys
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from keras_slu.cli.predict import standard_input


def translate(
    run: Annotated[
        Path, typer.Argument(help="Folder of a translation run, or its export.")
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(help="Texts. Default: the lines of standard input."),
    ] = None,
    beam: Annotated[
        int | None,
        typer.Option(min=1, help="Beam size of a run's search. Default: 1, greedy."),
    ] = None,
    batch: Annotated[
        int, typer.Option(min=1, help="Lines of standard input taken at a time.")
    ] = 64,
):
    """Translate texts, one line each."""
    translator = load_translator(run, beam)
    lines = iter(texts) if texts else standard_input()
    if not texts and sys.stdin.isatty():
        batch = 1  # answer each line as it is typed
    cut = 0
    while chunk := list(islice(lines, batch)):
        for translation in translator.translate(chunk):
            cut += translation.truncated
            # Line by line, whatever the pieces hold.
            line = " ".join(translation.text.splitlines()) + "\n"
            sys.stdout.buffer.write(line.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    if cut:
        typer.echo(f"warning: {cut} texts were too long and were cut", err=True)


def load_translator(run, beam):
    """Loads a run or an export that must be one of translation."""
    import keras_slu
    from keras_slu.errors import InputError
    from keras_slu.export.translation_exports import SavedModelTranslator
    from keras_slu.parsing.translator import Translator

    translator = keras_slu.load(run)
    if isinstance(translator, SavedModelTranslator):
        if beam is not None:
            raise InputError(
                "an export has greedy search", "Leave out --beam.", file=run
            )
        return translator
    if not isinstance(translator, Translator):
        raise InputError(
            "is no run of translation",
            "Train a recipe with `task: translation`.",
            file=run,
        )
    return Translator(translator.model, beam) if beam else translator
