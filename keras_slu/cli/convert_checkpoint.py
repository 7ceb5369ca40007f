"""`keras-slu convert-checkpoint`: a Model Garden BERT for keras-hub."""

from pathlib import Path
from typing import Annotated

import typer


def convert_checkpoint(
    config: Annotated[
        Path, typer.Argument(help="Model Garden encoder config, YAML or JSON.")
    ],
    checkpoint: Annotated[
        Path, typer.Argument(help="TensorFlow checkpoint, without .index.")
    ],
    vocabulary: Annotated[Path, typer.Argument(help="Its vocab.txt.")],
    target: Annotated[Path, typer.Argument(help="Folder to make, a preset.")],
    cased: Annotated[
        bool, typer.Option("--cased", help="The vocabulary tells case apart.")
    ] = False,
):
    """Turn a Model Garden BERT checkpoint into a folder that keras-hub reads."""
    from keras_slu.errors import InputError

    if target.exists():
        raise InputError("exists", "Remove it, or name another place.", file=target)
    if not vocabulary.is_file():
        raise InputError("no such file", "Check the path.", file=vocabulary)

    from keras_slu.encoders.conversion import write_hub_preset
    from keras_slu.encoders.model_garden import load_model_garden_encoder

    encoder = load_model_garden_encoder(config, checkpoint)
    write_hub_preset(encoder, vocabulary, target, lowercase=not cased)
    typer.echo(f"Wrote {target}. A recipe names it: encoder: {{preset: {target}}}")
