"""What every export says of its model, in a JSON file beside it."""

import hashlib
from pathlib import Path

import keras_slu
from keras_slu.data.marked_words import MARKS
from keras_slu.models.capsule_transformer import CapsuleTransformer
from keras_slu.models.punctuation_model import PunctuationModel
from keras_slu.models.skillnet import SkillNet


def describe(run, model):
    """The labels and settings of a run's model, and where it comes from.

    Args:
        run: path of the run.
        model: `JointModel`, `PunctuationModel`, `CapsuleTransformer` or
            `SkillNet`, the run's.

    Returns:
        dict, for JSON. `fingerprint` is the SHA-256 of the run's model file.
    """
    content = (Path(run) / "model.keras").read_bytes()
    origin = {
        "keras_slu": keras_slu.__version__,
        "fingerprint": hashlib.sha256(content).hexdigest(),
    }
    if isinstance(model, PunctuationModel):
        return {
            **origin,
            "task": "punctuation",
            "marks": model.marks,
            "signs": ["", *(MARKS[mark] for mark in model.marks[1:])],
            "vocabulary_size": _vocabulary_size(model),
            "window": model.window,
            "core": model.core,
            **({"pieces": _of_pieces(model)} if model.reads_pieces else {}),
        }
    if isinstance(model, CapsuleTransformer):
        return {
            **origin,
            "task": "translation",
            "vocabulary_size": len(model.pieces),
            "max_tokens": model.max_tokens,
        }
    if isinstance(model, SkillNet):
        return {
            **origin,
            "task": "skills",
            "tasks": [task.to_dict() for task in model.tasks],
            "skills": model.skills,
            "vocabulary_size": len(model.pieces),
            "max_pieces": model.encoder.max_pieces,
        }
    is_set = model.intent_head == "sigmoid"
    return {
        **origin,
        "classes": model.intents,
        **({"intent_head": model.intent_head} if is_set else {}),
        "tags": model.tags,
        "tokenizer": {
            "mode": model.tokenizer.mode,
            "lowercase": model.tokenizer.lowercase,
        },
        "vocabulary_size": _vocabulary_size(model),
        "max_tokens": model.max_tokens,
        **({"pieces": _of_pieces(model)} if model.reads_pieces else {}),
        **_of_dialogues(model),
        "calibration": {
            weight.name: float(weight) for weight in model.calibration.weights
        },
    }


def _vocabulary_size(model):
    vocabulary = model.vocabulary
    return vocabulary.pieces.size if model.reads_pieces else len(vocabulary)


def _of_pieces(model):
    """What a client needs to know of pieces that it makes itself."""
    pieces = model.vocabulary.pieces
    return {
        "start_id": pieces.start_id,
        "end_id": pieces.end_id,
        "pad_id": pieces.pad_id,
        "unknown_id": pieces.unknown_id,
        "max_pieces": model.vocabulary.max_pieces,
    }


def _of_dialogues(model):
    """What is to be known of a state; nothing of a model that has none."""
    if not model.max_history:
        return {}
    return {"max_history": model.max_history, "system_turns": model.system_turns}
