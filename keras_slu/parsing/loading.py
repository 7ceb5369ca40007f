"""Finds out what a path holds, and loads a parser from it."""

import json
import zipfile
from pathlib import Path

import keras_slu
from keras_slu.errors import InputError


def load(path):
    """Loads a run or an export as a parser; see `keras_slu.load`."""
    path = Path(path)
    # Each imports what only it needs: an exported model needs no Keras, and a
    # `.tflite` file no TensorFlow.
    if path.suffix == ".tflite":
        from keras_slu.export.litert_parser import load_litert_parser

        contract = _read(_contract_in(path))
        if contract.get("task") == "skills":
            from keras_slu.export.litert_skills import LiteRTSkills

            return LiteRTSkills(path)
        if contract.get("task") == "punctuation":
            from keras_slu.export.punctuation_exports import LiteRTPunctuator

            return LiteRTPunctuator(path)
        if "max_history" in contract:
            from keras_slu.export.litert_dialogues import LiteRTDialogueParser

            return LiteRTDialogueParser(path)
        return load_litert_parser(path)
    from keras_slu.export.saved_model import newest_version

    exported = newest_version(path)
    if exported is not None:
        contract = exported / "assets.extra" / "contract.json"
        contract = _read(contract.read_bytes()) if contract.exists() else {}
        if "pieces" in contract:
            from keras_slu.export.tensorflow_text import import_tensorflow_text

            import_tensorflow_text()  # which registers what its graph holds
        if contract.get("task") == "punctuation":
            from keras_slu.export.punctuation_exports import SavedModelPunctuator

            return SavedModelPunctuator(exported)
        if contract.get("task") == "skills":
            from keras_slu.export.skill_exports import SavedModelSkills

            return SavedModelSkills(exported, contract)
        if contract.get("task") == "translation":
            from keras_slu.export.translation_exports import SavedModelTranslator

            return SavedModelTranslator(exported)
        if "max_history" in contract:
            from keras_slu.export.saved_model_dialogues import SavedModelDialogueParser

            return SavedModelDialogueParser(exported)
        from keras_slu.export.saved_model_parser import SavedModelParser

        return SavedModelParser(exported)
    from keras_slu.parsing.parser import load_parser

    return load_parser(path)


def load_to_parse(path):
    """Loads a run or an export that must parse utterances.

    Raises:
        InputError: as `keras_slu.load`, and for a run of another task.
    """
    parser = keras_slu.load(path)
    if not hasattr(parser, "parse"):
        raise InputError(
            "is of another task, and parses no utterances",
            "Name a run of intents and slots.",
            file=path,
        )
    return parser


def _contract_in(path):
    """The contract that a `.tflite` file carries, bytes; empty if it is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read("contract.json")
    except (OSError, KeyError, zipfile.BadZipFile):
        return b""


def _read(contract):
    """A contract, JSON, as a dict; empty if it is damaged."""
    try:
        content = json.loads(contract)
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
