"""A tiny SkillNet with a task of each kind, and a batch of each task."""

import keras
import numpy as np

from keras_slu.models import SkillNet
from keras_slu.models import SkillTask

SKILLS = ["s1", "s2", "s3", "s4", "s7"]  # s4 is of no task
TASKS = [
    SkillTask("mood", "classification", ("bad", "good"), ("s1", "s7")),
    SkillTask("follows", "pair", ("no", "maybe", "yes"), ("s1", "s3", "s7")),
    SkillTask("same", "matching", ("no", "yes"), ("s1", "s3", "s7")),
    SkillTask("names", "tagging", ("O", "B-x", "I-x"), ("s2", "s7")),
    SkillTask("reading", "span", (), ("s2", "s3", "s7")),
    SkillTask("nearest", "ranking", (), ("s1", "s3", "s7")),
    SkillTask("pieces", "masked_pieces", (), ("s2", "s7")),
]
NAMES = [task.name for task in TASKS]
SIZES = {
    "vocabulary_size": 30,
    "dim": 8,
    "num_heads": 2,
    "inner_dim": 12,
    "num_layers": 2,
    "max_pieces": 12,
}
PIECES = [[2, 8, 9, 3, 12, 13, 3], [2, 7, 3, 5, 3], [2, 9, 3, 6, 6, 7, 3], [2, 8, 3]]
SEGMENTS = [[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1, 1], [0, 0, 0]]
WORDS = [[1, 2, 4], [1, 3], [1, 3, 5], [1]]
ASKED = [[1, 4], [], [1], []]
SECOND = [[2, 6, 3], [2, 7, 3], [2, 8, 9, 3], [2, 10, 3]]
TARGETS = {
    "mood": [[0], [1], [1], [0]],
    "follows": [[2], [0], [1], [2]],
    "same": [[1], [0], [1], [0]],
    "names": [[1, 2, 0], [0, 1, -1], [0, 0, 1], [1, -1, -1]],
    "reading": [[4, 5], [0, 0], [3, 5], [0, 0]],
    "nearest": [[1], [0], [0], [1]],
    "pieces": [[4, 12], [-1, -1], [9, -1], [-1, -1]],
}


def make(tasks=TASKS, skills=SKILLS, **kwargs):
    keras.utils.set_random_seed(3)
    return SkillNet(tasks, skills, **{**SIZES, "dropout": 0.0, **kwargs})


def batch(name, wider=0):
    """Inputs and targets of a task, 4 rows, with more padding if asked for."""
    rows = {
        "pieces": PIECES,
        "segments": SEGMENTS,
        "words": [[]] * 4,
        "second": [[]] * 4,
    }
    if name == "names":
        rows["words"] = WORDS
    if name == "pieces":
        rows["words"] = ASKED
    if name == "nearest":
        rows["second"] = SECOND
    inputs = {key: _padded(value, wider) for key, value in rows.items()}
    inputs["task"] = np.full(4, NAMES.index(name), "int32")
    targets = np.array(TARGETS[name], "int32")
    if name in ("names", "pieces"):  # a target for each word or piece
        targets = np.pad(targets, [(0, 0), (0, wider)], constant_values=-1)
    return inputs, targets


def _padded(rows, wider):
    width = max(map(len, rows))
    width += wider if width else 0
    return np.array([row + [0] * (width - len(row)) for row in rows], "int32").reshape(
        len(rows), width
    )


def gelu(x):
    """In the form of BERT."""
    return 0.5 * x * (1.0 + np.tanh(np.sqrt(2.0 / np.pi) * (x + 0.044715 * x**3)))


def feed_forward(layer, hidden):
    w_1, b_1, w_2, b_2 = map(np.array, layer.weights)
    return gelu(hidden @ w_1 + b_1) @ w_2 + b_2


def norm(layer, hidden):
    gamma, beta = map(np.array, layer.weights)
    hidden = hidden - hidden.mean(axis=-1, keepdims=True)
    return hidden / np.sqrt(hidden.var(axis=-1, keepdims=True) + 1e-12) * gamma + beta
