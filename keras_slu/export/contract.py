"""What every export says of its model, in a JSON file beside it."""

import hashlib
from pathlib import Path

import keras_slu


def describe(run, model):
    """The labels and settings of a run's model, and where it comes from.

    Args:
        run: path of the run.
        model: `JointSLU`, the run's.

    Returns:
        dict, for JSON. `fingerprint` is the SHA-256 of the run's model file.
    """
    content = (Path(run) / "model.keras").read_bytes()
    return {
        "keras_slu": keras_slu.__version__,
        "fingerprint": hashlib.sha256(content).hexdigest(),
        "classes": model.intents,
        "tags": model.tags,
        "tokenizer": {
            "mode": model.tokenizer.mode,
            "lowercase": model.tokenizer.lowercase,
        },
        "vocabulary_size": len(model.vocabulary),
        "max_tokens": model.max_tokens,
        "calibration": {
            weight.name: float(weight) for weight in model.calibration.weights
        },
    }
