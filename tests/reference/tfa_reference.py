"""Computes with tensorflow-addons what the tests compare with.

A script for a process of its own: tensorflow-addons imports beside Keras 2
only. Run as `python tfa_reference.py out.npz`, by the fixture `tfa_reference`.
"""

import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np
import tensorflow as tf
import tf_keras.src.engine.keras_tensor

# Where tensorflow-addons looks for it.
sys.modules["keras.src.engine"] = tf_keras.src.engine
sys.modules["keras.src.engine.keras_tensor"] = tf_keras.src.engine.keras_tensor

import tensorflow_addons as tfa  # noqa: E402

# (batch, time, tags) of each CRF problem; the lengths are drawn.
CRF_SHAPES = [(4, 1, 3), (3, 5, 2), (6, 7, 5), (2, 30, 20), (1, 12, 72)]

STEPS = 50
ROWS, COLUMNS = 12, 3
LEARNING_RATE = 0.001


def crf_results():
    """Log-likelihood and best path of each of `CRF_SHAPES`."""
    results = {}
    for number, (batch, time, tags) in enumerate(CRF_SHAPES):
        rng = np.random.default_rng(number)
        problem = {
            "potentials": rng.normal(size=(batch, time, tags)).astype("float32") * 3,
            "transitions": rng.normal(size=(tags, tags)).astype("float32"),
            "tags": rng.integers(tags, size=(batch, time)).astype("int32"),
            "lengths": rng.integers(1, time + 1, size=batch).astype("int32"),
        }
        likelihood, _ = tfa.text.crf_log_likelihood(
            problem["potentials"],
            problem["tags"],
            problem["lengths"],
            problem["transitions"],
        )
        path, score = tfa.text.crf_decode(
            problem["potentials"], problem["transitions"], problem["lengths"]
        )
        problem |= {
            "log_likelihood": likelihood.numpy(),
            "path": path.numpy(),
            "score": score.numpy(),
        }
        results |= {f"crf{number}_{name}": value for name, value in problem.items()}
    return results


def radam_results():
    """A dense matrix and a table with sparse gradients, after each step.

    Rows repeat within a step, and each step leaves out most rows.
    """
    rng = np.random.default_rng(0)
    start = rng.normal(size=(ROWS, COLUMNS)).astype("float32")
    dense_gradients = rng.normal(size=(STEPS, ROWS, COLUMNS)).astype("float32")
    rows = rng.integers(ROWS, size=(STEPS, 4)).astype("int32")
    row_gradients = rng.normal(size=(STEPS, 4, COLUMNS)).astype("float32")

    optimizer = tfa.optimizers.RectifiedAdam(learning_rate=LEARNING_RATE)
    dense, table = tf.Variable(start), tf.Variable(start)
    dense_path, table_path = [], []
    for step in range(STEPS):
        slices = tf.IndexedSlices(row_gradients[step], rows[step], [ROWS, COLUMNS])
        optimizer.apply_gradients(
            [(tf.constant(dense_gradients[step]), dense), (slices, table)]
        )
        dense_path.append(dense.numpy())
        table_path.append(table.numpy())
    return {
        "radam_start": start,
        "radam_dense_gradients": dense_gradients,
        "radam_rows": rows,
        "radam_row_gradients": row_gradients,
        "radam_dense": np.stack(dense_path),
        "radam_table": np.stack(table_path),
    }


if __name__ == "__main__":
    np.savez(sys.argv[1], **crf_results(), **radam_results())
