"""Converts a run to LiteRT; runs in a child of `litert`."""

import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from keras_slu.export.contract import describe
from keras_slu.export.litert_conversion import convert
from keras_slu.export.litert_graph import DeviceGraph
from keras_slu.export.litert_parser import CONTRACT
from keras_slu.export.litert_parser import LiteRTParser
from keras_slu.export.litert_parser import interpreter_class
from keras_slu.files import write_text
from keras_slu.parsing.parser import load_parser
from keras_slu.text.tokenizer import code_points

EXAMPLES = 100
TOLERANCE = 1e-3  # of probabilities, between the run and a float model


def write_litert(
    run, model_path, contract_path, input, max_tokens, max_chars, quantize
):
    """Writes both files and checks them; see `export_litert`.

    Raises:
        InputError: for a damaged run, or a model that LiteRT cannot hold.
        RuntimeError: when what was written does not answer as the run does.
    """
    interpreter_class()  # if it is missing, say so before the work
    parser = load_parser(run)
    model = parser.model
    if model.crf is not None:
        model.crf.hides_constants = quantize != "none"
    max_tokens = min(max_tokens, model.max_tokens)
    function = DeviceGraph(model, max_tokens, max_chars).function(input)
    size = function.input_signature[0].shape[1]
    texts = _texts(model.vocabulary, max_tokens)
    rows = [_row(model, text, input, size) for text in texts]
    Path(model_path).write_bytes(convert(function, quantize, rows))
    contract = {
        **describe(run, model),
        "input": {"name": input, "shape": [1, size], "dtype": "int32", "padding": 0},
        "outputs": _outputs(function),
        "max_tokens": max_tokens,
        "max_chars": max_chars,
        "quantize": quantize,
    }
    text = json.dumps(contract, indent=2, ensure_ascii=False) + "\n"
    write_text(contract_path, text)
    _append(model_path, text, model if input == "token_ids" else None)
    _check(parser, LiteRTParser(model_path), texts, quantize)


def _texts(vocabulary, max_tokens):
    """Texts of all lengths, made of words that the model knows."""
    random = np.random.default_rng(0)
    lengths = np.linspace(1, max_tokens, EXAMPLES).astype(int)
    return [" ".join(random.choice(vocabulary.words, length)) for length in lengths]


def _row(model, text, input, size):
    values = code_points(text)
    if input == "token_ids":
        values = model.vocabulary.ids(text.split())
    row = np.zeros((1, size), np.int32)
    row[0, : min(len(values), size)] = values[:size]
    return row


def _outputs(function):
    specs = function.get_concrete_function().structured_outputs
    return {
        name: {"shape": spec.shape.as_list(), "dtype": spec.dtype.name}
        for name, spec in sorted(specs.items())
    }


def _append(path, contract, model):
    """Appends what a parser needs as a zip archive, which LiteRT reads over.

    That is how TensorFlow Lite models have always carried their files:
    `unzip` shows them. What makes token ids goes in for those that need it.
    """
    with zipfile.ZipFile(path, "a") as archive, TemporaryDirectory() as folder:
        archive.writestr(CONTRACT, contract)
        if model is not None:
            model.save_assets(folder)
            for asset in sorted(Path(folder).iterdir()):
                archive.write(asset, asset.name, zipfile.ZIP_DEFLATED)


def _check(parser, exported, texts, quantize):
    """Runs the model on texts: what kills a device must fail here.

    A float model must find the probabilities of the run. Labels are not
    compared: where two are nearly as probable, rounding may choose either.
    """
    for ours, theirs in zip(parser.parse(texts), exported.parse(texts), strict=True):
        if quantize != "none" or theirs.truncated:
            continue
        expected = {intent.name: intent.probability for intent in ours.intents}
        found = {intent.name: intent.probability for intent in theirs.intents}
        if any(abs(found[name] - expected[name]) > TOLERANCE for name in expected):
            raise RuntimeError(
                f"The LiteRT model answers {theirs} where the run answers {ours}"
            )
