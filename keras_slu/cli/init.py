"""`keras-slu init`: a first recipe for a user's data."""

import os
import re
from pathlib import Path
from typing import Annotated

import typer

TEMPLATE = """\
# A recipe says all there is to say of a training. Train it with:
#   keras-slu train {file}
name: {name}
seed: 1

data: # relative to this file
  train: {train}
  dev: {dev}
{test}
text:
  tokenizer: auto # what finds the tokens of data that have some, else unicode
  lowercase: true
  max_tokens: 128 # longer utterances are cut, and say so
{vectors}
model:
  type: han
  embedding_dim: {embedding_dim}
  embedding_dropout: 0.3
  dropout: 0.3

training:
  epochs: {epochs}
  batch_size: 32
  learning_rate: 0.001
  word_dropout: 0.3 # of words seen once: teaches the model unknown words
  patience: 10 # epochs without a better dev score before it stops
"""


def init(
    data: Annotated[
        str,
        typer.Argument(
            help="Folder that holds train, dev and (if there is one) test; or the "
            "training data alone, with --dev."
        ),
    ],
    output: Annotated[Path, typer.Option(help="The recipe to write.")] = Path(
        "recipe.yaml"
    ),
    dev: Annotated[str | None, typer.Option(help="Development data.")] = None,
    test: Annotated[str | None, typer.Option(help="Test data.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the recipe.")] = None,
    word_vectors: Annotated[
        Path | None, typer.Option(help="Word vectors in GloVe's text format.")
    ] = None,
):
    """Write a first recipe for your data."""
    from keras_slu.data import read
    from keras_slu.errors import InputError
    from keras_slu.files import write_text
    from keras_slu.training.base_recipe import NAME

    if output.exists():
        raise InputError("exists", "Name another --output.", file=output)
    name = name or _name(output)
    if not re.fullmatch(NAME, name):
        raise InputError(
            f"no recipe can have the name {name!r}",
            "Use letters, digits, dots, dashes and underscores only.",
        )
    splits = _splits(data, dev, test)
    counts = {split: len(read(path)) for split, path in splits.items()}
    folder = output.parent.resolve()
    paths = {split: _relative(path, folder) for split, path in splits.items()}
    test_line = f"  test: {_quoted(paths['test'])}\n" if "test" in paths else ""
    vectors = ""
    if word_vectors is not None:
        path = _quoted(_relative(str(word_vectors), folder))
        vectors = f"  word_vectors:\n    path: {path}\n"
    content = TEMPLATE.format(
        file=output,
        name=_quoted(name),
        train=_quoted(paths["train"]),
        dev=_quoted(paths["dev"]),
        test=test_line,
        vectors=vectors,
        embedding_dim=_dimension(word_vectors),
        # Enough steps for small data, not too many for large ones.
        epochs=max(10, min(100, 300_000 // counts["train"])),
    )
    write_text(output, content)
    told = ", ".join(f"{count} {split}" for split, count in counts.items())
    typer.echo(f"Read {told} utterances. Wrote {output}.")
    typer.echo(f"Next: keras-slu train {output}")


def _splits(data, dev, test):
    """Names the data of each split, those that are not given by their place."""
    from keras_slu.cli.data.splits import find_splits
    from keras_slu.errors import InputError

    splits = find_splits(data).paths if dev is None else {"train": data, "dev": dev}
    if test is not None:
        splits["test"] = test
    if "dev" not in splits:
        raise InputError(
            "does not hold train and dev",
            "Name a folder that does, or the training data with --dev.",
            file=data,
        )
    return {split: str(path) for split, path in splits.items()}


def _relative(path, folder):
    return path if path.startswith("embedded:") else os.path.relpath(path, folder)


def _quoted(path):
    """A YAML string that holds any path."""
    return "'" + path.replace("'", "''") + "'"


def _name(output):
    """A recipe name from a file name.

    >>> _name(Path("my recipe.yaml"))
    'my-recipe'
    """
    name = "".join(c if c.isascii() and c.isalnum() else "-" for c in output.stem)
    return name.strip("-") or "recipe"


def _dimension(word_vectors):
    """Width of the vectors, from their first words; 100 without a file."""
    if word_vectors is None:
        return 100
    from keras_slu.encoders.word_vectors import read_word_vectors

    return read_word_vectors(word_vectors, keep=set())[1].shape[1]
