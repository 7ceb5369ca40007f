"""`keras-slu understand`: from a raw transcript to the meaning of its sentences."""

import json
import sys
from pathlib import Path
from typing import Annotated

import typer


def understand(
    file: Annotated[Path, typer.Argument(help="A transcript; - for standard input.")],
    punctuation: Annotated[
        Path, typer.Option(help="Folder of a punctuation run, which parts sentences.")
    ],
    parser: Annotated[
        Path, typer.Option(help="Folder of a run, or an export, that parses them.")
    ],
):
    """Part a transcript into sentences and print the Frame of each as JSON."""
    import keras_slu
    from keras_slu.cli.loading import load_punctuator
    from keras_slu.cli.punctuate import open_transcript
    from keras_slu.parsing.loading import load_to_parse

    with open_transcript(None if str(file) == "-" else file) as source:
        transcript = source.read()
    pipeline = keras_slu.pipeline(load_punctuator(punctuation), load_to_parse(parser))
    for sentence in pipeline.parse(transcript):
        line = json.dumps(sentence.to_dict(), ensure_ascii=False) + "\n"
        # A lone surrogate has no UTF-8; its escape is valid JSON.
        sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
