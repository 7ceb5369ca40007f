"""Converts a run to LiteRT; runs in a child of `litert`."""

import json
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from keras_slu.errors import InputError
from keras_slu.export.contract import describe
from keras_slu.export.exportable import load_exportable
from keras_slu.export.litert_conversion import convert
from keras_slu.export.litert_dialogues import LiteRTDialogueParser
from keras_slu.export.litert_encoders import encoder_of
from keras_slu.export.litert_graph import DeviceGraph
from keras_slu.export.litert_parser import CONTRACT
from keras_slu.export.litert_parser import LiteRTParser
from keras_slu.export.litert_parser import interpreter_class
from keras_slu.export.litert_piece_graph import DevicePieceGraph
from keras_slu.export.litert_skills import LiteRTSkills
from keras_slu.export.litert_turn_graph import DeviceTurnGraph
from keras_slu.export.punctuation_exports import LiteRTPunctuator
from keras_slu.export.punctuation_exports import check_punctuation
from keras_slu.export.punctuation_graph import PunctuationGraph
from keras_slu.export.skill_exports import check_skills
from keras_slu.export.skill_litert import SkillDeviceGraph
from keras_slu.export.skill_litert import example_inputs
from keras_slu.export.turn_graph import check_turns
from keras_slu.files import write_text
from keras_slu.parsing.punctuator import Punctuator
from keras_slu.parsing.skill_parser import SkillParser
from keras_slu.parsing.skill_texts import OF_TWO
from keras_slu.parsing.skill_texts import check_task
from keras_slu.parsing.skill_texts import device_inputs
from keras_slu.parsing.skill_texts import encode_texts
from keras_slu.parsing.translator import Translator
from keras_slu.parsing.turns import TurnByTurn
from keras_slu.text.spoken_words import spoken_words

EXAMPLES = 100
TOLERANCE = 1e-3  # of probabilities, between the run and a float model


def write_litert(
    run, model_path, contract_path, input, max_tokens, max_chars, quantize, task=None
):
    """Writes both files and checks them; see `export_litert`.

    Raises:
        InputError: for a damaged run, or a model that LiteRT cannot hold.
        RuntimeError: when what was written does not answer as the run does.
    """
    interpreter_class()  # if it is missing, say so before the work
    parser = load_exportable(run, task)
    if isinstance(parser, SkillParser):
        _write_skills(run, parser, model_path, contract_path, max_tokens, quantize)
        return
    if isinstance(parser, Translator):
        raise InputError(
            "a translator writes word after word, which no LiteRT form does yet",
            "Export it as a SavedModel.",
            file=run,
        )
    model = parser.model
    if model.reads_pieces and input == "codepoints":
        raise InputError(
            "the model splits words into pieces, which builtin operations cannot",
            "Export it with --input token_ids, for clients that make the pieces.",
            file=run,
        )
    if model.crf is not None:
        model.crf.hides_constants = quantize != "none"
    max_tokens = min(max_tokens, model.max_tokens)
    if isinstance(parser, TurnByTurn) and model.system_turns:
        raise InputError(
            "the model hears what the system says, which its LiteRT form cannot",
            "Export it as a SavedModel, or train it without `system_turns`.",
        )
    function = _function(parser, input, max_tokens, max_chars)
    is_punctuator = isinstance(parser, Punctuator)
    longest = min(max_tokens, model.core) if is_punctuator else max_tokens
    texts = _texts(model.vocabulary, longest)
    contract = {
        **describe(run, model),
        **_inputs(function, model),
        "outputs": _outputs(function),
        "max_tokens": max_tokens,
        "max_chars": max_chars,
        "quantize": quantize,
    }
    vocabulary = model.vocabulary.pieces if model.reads_pieces else model.vocabulary
    encode = encoder_of(contract, model.tokenizer, vocabulary)
    rows = [encode(text)[0] for text in texts]
    Path(model_path).write_bytes(convert(function, quantize, rows))
    text = json.dumps(contract, indent=2, ensure_ascii=False) + "\n"
    write_text(contract_path, text)
    _append(model_path, text, model if input == "token_ids" else None)
    if is_punctuator:
        whole = [text for text in texts if len(text) <= max_chars]
        whole = [text for text in whole if _pieces_in(text, model) <= longest]
        if quantize == "none":
            check_punctuation(parser, LiteRTPunctuator(model_path), whole)
        return
    if isinstance(parser, TurnByTurn):
        if quantize == "none":
            check_turns(parser, LiteRTDialogueParser(model_path), texts)
        return
    _check(parser, LiteRTParser(model_path), texts, quantize)


def _write_skills(run, parser, model_path, contract_path, max_pieces, quantize):
    """Writes and checks the model of one task of a `SkillParser`."""
    if len(parser.tasks) > 1:
        raise InputError(
            f"the run has {len(parser.tasks)} tasks, and a device gets one",
            f"Name it with --task: {', '.join(parser.tasks)}.",
            file=run,
        )
    [task] = parser.tasks.values()
    check_task(parser.tasks, task.name)
    model = parser.model
    size = min(max_pieces, model.encoder.max_pieces)
    if task.kind == "tagging":
        model.heads[0].crf.hides_constants = quantize != "none"
    function = SkillDeviceGraph(model, size).function()
    texts = _texts(model.pieces, size)
    seconds = texts[::-1] if task.kind in OF_TWO else None
    examples, _ = encode_texts(task, texts, seconds, model.pieces, size)
    given = example_inputs(task, examples, size)
    Path(model_path).write_bytes(convert(function, quantize, given))
    contract = {
        **describe(run, model),
        "input": {"name": "pieces", "shape": [1, size], "dtype": "int32", "padding": 0},
        "inputs": device_inputs(task),
        "outputs": _outputs(function),
        "max_pieces": size,
        "quantize": quantize,
    }
    text = json.dumps(contract, indent=2, ensure_ascii=False) + "\n"
    write_text(contract_path, text)
    _append(model_path, text, model)
    if quantize == "none":
        fitting = [
            text for text in texts if len(model.pieces.split(text).ids) < size // 2
        ]
        check_skills(parser, LiteRTSkills(model_path), fitting)


def _function(parser, input, max_tokens, max_chars):
    model = parser.model
    if isinstance(parser, Punctuator):
        graph = PunctuationGraph(model)
        if model.reads_pieces:
            return graph.piece_function(max_tokens)
        if input == "codepoints":
            return graph.device_function(max_tokens, max_chars)
        raise InputError(
            f"a punctuation model cannot take {input}", "Choose codepoints."
        )
    if model.reads_pieces:
        return DevicePieceGraph(model, max_tokens, max_chars).function(input)
    graph = DeviceTurnGraph if isinstance(parser, TurnByTurn) else DeviceGraph
    return graph(model, max_tokens, max_chars).function(input)


def _texts(vocabulary, max_tokens):
    """Texts of all lengths, made of words (or endings) that the model knows."""
    random = np.random.default_rng(0)
    lengths = np.linspace(1, max_tokens, EXAMPLES).astype(int)
    return [" ".join(random.choice(vocabulary.words, length)) for length in lengths]


def _pieces_in(text, model):
    """How much of a punctuation model's window a text takes."""
    ids, _ = spoken_words(text, model.tokenizer).read(model.vocabulary)
    return len(ids)


def _inputs(function, model):
    """What the contract says of the inputs of a text."""
    first, *others = function.input_signature
    padding = model.vocabulary.pieces.pad_id if model.reads_pieces else 0
    described = {"input": {"name": first.name, **_shape(first), "padding": padding}}
    if model.reads_pieces and others:
        described["word_starts"] = {**_shape(others[0]), "padding": -1}
    return described


def _outputs(function):
    specs = function.get_concrete_function().structured_outputs
    return {name: _shape(spec) for name, spec in sorted(specs.items())}


def _shape(spec):
    return {"shape": spec.shape.as_list(), "dtype": spec.dtype.name}


def _append(path, contract, model):
    """Appends what a parser needs as a zip archive, which LiteRT reads over.

    That is how TensorFlow Lite models have always carried their files:
    `unzip` shows them. What makes token ids goes in for those that need it.
    """
    with zipfile.ZipFile(path, "a") as archive, TemporaryDirectory() as folder:
        archive.writestr(CONTRACT, contract)
        if model is not None:
            model.save_assets(folder)
            for asset in sorted(Path(folder).rglob("*")):
                name = asset.relative_to(folder)
                archive.write(asset, name, zipfile.ZIP_DEFLATED)


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
