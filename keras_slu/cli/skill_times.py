"""How long a SkillNet takes for one text of a task."""

import statistics
import time

import numpy as np

WARM_UP = 3
REPEATS = 30
PAIRS = ("pair", "matching", "span")  # two texts in one row


def task_milliseconds(model, task, pieces):
    """The median time of one text, or one pair, through encoder and head.

    Args:
        model: `SkillNet`.
        task: `SkillTask` of it.
        pieces: int. Length of each row.
    """
    import tensorflow as tf

    inputs = {
        name: tf.constant(value) for name, value in _inputs(model, task, pieces).items()
    }
    run = tf.function(lambda inputs: model(inputs, task=task.name, training=False))
    times = []
    for _ in range(WARM_UP + REPEATS):
        start = time.perf_counter()
        for output in run(inputs).values():
            output.numpy()
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[WARM_UP:])


def _inputs(model, task, pieces):
    """A row of a task that holds pieces at random."""
    row = np.random.default_rng(0).integers(
        1, model.encoder.get_config()["vocabulary_size"], (1, pieces), dtype="int32"
    )
    empty = np.zeros((1, 0), "int32")
    second_half = np.arange(pieces, dtype="int32")[None] >= pieces // 2
    return {
        "pieces": row,
        "segments": (second_half & (task.kind in PAIRS)).astype("int32"),
        "words": np.arange(1, pieces - 1, dtype="int32")[None]
        if task.kind == "tagging"
        else empty,
        "second": row if task.kind == "ranking" else empty,
        "task": np.array([model.tasks.index(task)], "int32"),
    }
