"""`keras-slu data punctuate-corpus`: training data from punctuated text."""

from pathlib import Path
from typing import Annotated

import typer


def punctuate_corpus(
    source: Annotated[
        Path, typer.Argument(help="Ordinary text with punctuation, plain or .gz.")
    ],
    target: Annotated[
        Path, typer.Argument(help="What to write, one word and its mark a line.")
    ],
    marks: Annotated[
        str, typer.Option(help="The marks to tell apart, joined by commas.")
    ] = "COMMA,PERIOD,QUESTION",
    noise: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="Rate of errors like a recogniser's."),
    ] = 0.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the errors.")] = 1,
):
    """Make training data for punctuation: words in lower case, a mark after each."""
    import numpy as np

    from keras_slu.data.marked_words import MARKS
    from keras_slu.data.marked_words import write_marked_words
    from keras_slu.data.noise import noisy_marked_words
    from keras_slu.data.punctuated_text import mark_words
    from keras_slu.errors import InputError
    from keras_slu.files import read_lines

    names = marks.split(",")
    unknown = [name for name in names if name not in MARKS]
    if unknown:
        raise InputError(f"no mark {unknown[0]!r}", f"Name some of {', '.join(MARKS)}.")
    if target.exists():
        raise InputError("exists", "Remove it, or name another place.", file=target)
    marked = mark_words("\n".join(line for _, line in read_lines(source)), names)
    if not len(marked):
        raise InputError("holds no words", "Give it some.", file=source)
    marked = noisy_marked_words(marked, noise, np.random.default_rng(seed))
    write_marked_words(target, marked)
    count = sum(mark != "O" for mark in marked.marks)
    typer.echo(f"Wrote {len(marked):,} words with {count:,} marks to {target}.")
