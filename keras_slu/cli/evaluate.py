"""`keras-slu evaluate`: scores of a run on labelled data."""

import json
from pathlib import Path
from typing import Annotated

import typer


def evaluate(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    data: Annotated[
        str, typer.Argument(help="Labelled data, in any format that train reads.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(help="File for the scores. Default: RUN/scores-DATA.json."),
    ] = None,
):
    """Score a run, from gold tokens and from raw text."""
    from keras_slu.data import read

    utterances = read(data)

    import keras_slu
    from keras_slu.cli.scores import print_scores
    from keras_slu.files import write_text
    from keras_slu.parsing.scoring import score_parser

    scores = score_parser(keras_slu.load(run), utterances)
    content = {"data": data, **{name: s.to_dict() for name, s in scores.items()}}
    output = output or run / f"scores-{_slug(data)}.json"
    write_text(output, json.dumps(content, indent=2) + "\n")
    print_scores(content)
    typer.echo(f"Written to {output}.")


def _slug(data):
    """The last two parts of a path, as part of a file name.

    >>> _slug("../data/snips/test"), _slug("embedded:home/dev")
    ('snips-test', 'home-dev')
    """
    parts = Path(data.removeprefix("embedded:")).parts[-2:]
    name = "-".join(part.strip(".") for part in parts)
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in name).strip("-")
