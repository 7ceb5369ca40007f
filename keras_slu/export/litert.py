"""Exports a run as a LiteRT model for devices: one file, and its contract."""

from pathlib import Path

from keras_slu.errors import InputError
from keras_slu.export.child import call_in_child
from keras_slu.files import atomic_path

INPUTS = ("codepoints", "token_ids")
QUANTIZATIONS = ("none", "float16", "dynamic", "int8")
CHARS_PER_TOKEN = 8  # with the space; the default of `max_chars`


def export_litert(
    run,
    path,
    input="codepoints",
    max_tokens=32,
    max_chars=None,
    quantize="none",
    task=None,
):
    """Writes `path`, a `.tflite` file, and its contract, `.json`, beside it.

    The model takes one utterance and holds builtin operations only. A process
    of its own converts it, which TensorFlow's converter may kill.

    Input `codepoints`, int32 `(1, max_chars + 1)`: the code points of the
    text, then 0. Of longer text its first `max_chars + 1` code points: that
    the last is not 0 says that text was cut. A NUL in the text must be given
    as a space, which separates as it does. Input `token_ids`, int32
    `(1, max_tokens + 1)`, likewise.

    Outputs, by name: those of `DeviceGraph`, `starts` and `ends` with
    `codepoints` only. An utterance without tokens has all padding, and its
    intent is that of one unknown word.

    A model on a pretrained encoder takes `token_ids` only, the pieces of the
    encoder: see `DevicePieceGraph` and `PunctuationGraph.piece_function`. The
    file has its tokenizer, with which `keras_slu.load` reads text.

    A run of many tasks gives a model of one, with its skills only. It takes word
    pieces, whatever `input`: `pieces`, and by the kind of the task `segments`,
    `words` or `second`, int32 `(1, max_tokens)`, see `SkillNet`; and gives what
    `SkillNet.decode` does.

    Args:
        run: path of a finished run's folder.
        path: path of the file to write; it ends in `.tflite`.
        input: str. `"codepoints"` for the text itself, or `"token_ids"` for
            clients that tokenise, or make pieces. Defaults to `"codepoints"`.
        max_tokens: int. Tokens beyond it are cut, and those beyond the run's
            own limit. Defaults to `32`.
        max_chars: int. Code points beyond it are cut. Defaults to 8 for each
            of `max_tokens`.
        quantize: str. `"none"`; `"float16"`, weights half as large;
            `"dynamic"`, weights of matrix products in 8 bits, products in 8
            bits too; `"int8"`, everything in 8 bits. Defaults to `"none"`.
        task: str. The task, of a run of many. Defaults to `None`.

    Raises:
        InputError: for a damaged run, settings that are out of range, a model
            that needs other than builtin operations or cannot be quantised
            so, and a place that cannot be written. Both files are then as
            they were.
        RuntimeError: when the conversion fails otherwise, or its result does
            not answer as the run does.
    """
    path = Path(path)
    max_chars = CHARS_PER_TOKEN * max_tokens if max_chars is None else max_chars
    _check(path, input, max_tokens, max_chars, quantize)
    try:
        with (
            atomic_path(path.with_suffix(".json")) as contract,
            atomic_path(path) as model,
        ):
            call_in_child(
                "keras_slu.export.litert_writer:write_litert",
                run=str(run),
                model_path=str(model),
                contract_path=str(contract),
                input=input,
                max_tokens=max_tokens,
                max_chars=max_chars,
                quantize=quantize,
                task=task,
            )
    except RuntimeError as error:
        if quantize == "none" or "exit code -" not in str(error):
            raise
        raise InputError(
            f"quantising this model to {quantize} killed TensorFlow's converter, "
            "or running it LiteRT",
            "Quantise it to dynamic, or not at all.",
            file=run,
        ) from error


def _check(path, input, max_tokens, max_chars, quantize):
    if path.suffix != ".tflite":
        raise InputError("does not end in .tflite", "Name it so.", file=path)
    for name, value, known in (
        ("input", input, INPUTS),
        ("quantize", quantize, QUANTIZATIONS),
    ):
        if value not in known:
            raise InputError(
                f"{name} {value!r} is unknown", f"Choose from {', '.join(known)}."
            )
    for name, value in (("max_tokens", max_tokens), ("max_chars", max_chars)):
        if value < 1:
            raise InputError(f"{name} is {value}", "Give at least 1.")
