"""`keras-slu export`: a run as a model for TensorFlow Serving or a device."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from keras_slu.cli.status import status
from keras_slu.errors import InputError


class Format(str, Enum):
    saved_model = "saved_model"
    litert = "litert"


class Input(str, Enum):
    codepoints = "codepoints"
    token_ids = "token_ids"


class Quantize(str, Enum):
    none = "none"
    float16 = "float16"
    dynamic = "dynamic"
    int8 = "int8"


def export(
    run: Annotated[Path, typer.Argument(help="Folder of a finished run.")],
    format: Annotated[
        Format,
        typer.Option(help="saved_model: TensorFlow Serving. litert: a device."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            help="Folder that gets NAME/VERSION/ or NAME.tflite. "
            "Default: saved_models or tflite."
        ),
    ] = None,
    version: Annotated[
        int | None,
        typer.Option(min=1, help="saved_model: the version. Default: the next."),
    ] = None,
    input: Annotated[
        Input, typer.Option(help="litert: what the model takes.")
    ] = Input.codepoints,
    max_tokens: Annotated[
        int, typer.Option(min=1, help="litert: longest utterance, in tokens.")
    ] = 32,
    max_chars: Annotated[
        int | None,
        typer.Option(min=1, help="litert: longest utterance, in code points."),
    ] = None,
    quantize: Annotated[
        Quantize, typer.Option(help="litert: how weights are made smaller.")
    ] = Quantize.none,
    task: Annotated[
        str | None,
        typer.Option(
            help="Of a run of many tasks the one to export, with its skills only. "
            "Default: all, which a device cannot hold."
        ),
    ] = None,
):
    """Export a run, named after its folder, and after the task if one is named."""
    name = run.resolve().name + (f"-{task}" if task else "")
    if format is Format.litert:
        if version is not None:
            raise InputError("a .tflite file has no version", "Leave out --version.")
        from keras_slu.export.litert import export_litert

        place = (output or Path("tflite")) / f"{name}.tflite"
        with status(f"Converting {run}"):
            export_litert(
                run,
                place,
                input=input.value,
                max_tokens=max_tokens,
                max_chars=max_chars,
                quantize=quantize.value,
                task=task,
            )
    else:
        from keras_slu.export.saved_model import export_saved_model

        with status(f"Exporting {run}"):
            place = export_saved_model(
                run,
                output or Path("saved_models"),
                name=name,
                version=version,
                task=task,
            )
    typer.echo(f"The model is in {place} ({size_in_megabytes(place):.1f} MB).")


def size_in_megabytes(place):
    """The megabytes of a file, or of all files in a folder."""
    files = [place] if place.is_file() else place.rglob("*")
    return sum(path.stat().st_size for path in files if path.is_file()) / 1e6
