"""`keras-slu data convert`: labelled data in another format."""

from pathlib import Path
from typing import Annotated

import typer

DIALOGUES = "dialogue-lines"
SHOWN = 5  # warnings; the others are only counted


def convert(
    source: Annotated[str, typer.Argument(help="Labelled data, in any known format.")],
    target: Annotated[
        Path, typer.Argument(help="What to write; compressed if it ends with .gz.")
    ],
    source_format: Annotated[
        str | None,
        typer.Option("--from", help="Format of the source. Default: by its content."),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", help="Format of the target. Default: by its name."),
    ] = None,
    tokenise: Annotated[
        bool,
        typer.Option(
            "--tokenise",
            help="Make the words of raw texts, joined by single spaces, the texts.",
        ),
    ] = False,
):
    """Write labelled data in another format: all of them, or nothing.

    Dialogues keep their turns in dialogue-lines, which is what they become in a
    .jsonl file; every other format gets what the user said.
    """
    from keras_slu.cli.data.progress import watching
    from keras_slu.data import has_dialogues
    from keras_slu.data import iter_dialogues
    from keras_slu.data import iter_utterances
    from keras_slu.data.tokenising import tokenised
    from keras_slu.data.writers import choose_format
    from keras_slu.data.writers import write
    from keras_slu.data.writers.dialogue_lines import write_dialogue_lines
    from keras_slu.errors import InputError
    from keras_slu.text.tokenizer import Tokenizer

    named = target_format
    target_format = target_format or choose_format(target)
    if named is None and target_format == "json-lines":
        if has_dialogues(source, source_format):
            target_format = DIALOGUES
    if tokenise and target_format == DIALOGUES:
        raise InputError("--tokenise is for single utterances", "Leave it out.")
    if target.exists():
        raise InputError("exists", "Remove it, or name another place.", file=target)
    warnings = 0

    def report(severity, fault):
        nonlocal warnings
        if severity == "error":
            raise fault
        warnings += 1
        if warnings <= SHOWN:
            typer.echo(f"warning: {fault}", err=True)

    if target_format == DIALOGUES:
        count = write_dialogue_lines(
            iter_dialogues(source, source_format, report), target
        )
    else:
        utterances = iter_utterances(source, source_format, report)
        if tokenise:
            tokenizer = Tokenizer()
            utterances = (tokenised(utterance, tokenizer) for utterance in utterances)
        with watching() as watch:
            count = write(watch(source, utterances), target, target_format)
    if warnings > SHOWN:
        more = f"and {warnings - SHOWN} more: keras-slu data validate {source}"
        typer.echo(more, err=True)
    what = "dialogues" if target_format == DIALOGUES else "utterances"
    typer.echo(f"Wrote {count:,} {what} to {target} ({target_format}).")
