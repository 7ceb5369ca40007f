"""The CRF and RectifiedAdam against tensorflow-addons' numbers."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from keras_slu.layers.crf import CRF
from keras_slu.optimizers import RectifiedAdam


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """The arrays that `tfa_reference.py` wrote, from a process of its own."""
    if importlib.util.find_spec("tensorflow_addons") is None:
        pytest.skip("needs tensorflow-addons, which ends with Python 3.11")
    script = Path(__file__).with_name("tfa_reference.py")
    path = tmp_path_factory.mktemp("reference") / "tfa.npz"
    child = subprocess.run(
        [sys.executable, script, path],
        env={k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    return dict(np.load(path))


@pytest.fixture(params=range(5))
def crf_problem(request, reference):
    """One CRF problem with tensorflow-addons' answers, the CRF and the mask."""
    prefix = f"crf{request.param}_"
    problem = {
        name.removeprefix(prefix): value
        for name, value in reference.items()
        if name.startswith(prefix)
    }
    time, num_tags = problem["potentials"].shape[1:]
    crf = CRF(num_tags)
    crf.build((None, None, num_tags))
    crf.transitions.assign(problem["transitions"])  # it knows no start and no end
    mask = np.arange(time)[None] < problem["lengths"][:, None]
    return problem, crf, mask


def test_crf_log_likelihood(crf_problem):
    problem, crf, mask = crf_problem
    loss = crf.negative_log_likelihood(problem["potentials"], problem["tags"], mask)
    np.testing.assert_allclose(
        ops.convert_to_numpy(loss), -problem["log_likelihood"], rtol=1e-5, atol=1e-5
    )


def test_crf_decode(crf_problem):
    problem, crf, mask = crf_problem
    path = ops.convert_to_numpy(crf.decode(problem["potentials"], mask))
    np.testing.assert_array_equal(path[mask], problem["path"][mask])


def apply_steps(reference, gradients):
    """Positions after each step of RectifiedAdam on the reference's problem."""
    variable = keras.Variable(reference["radam_start"])
    optimizer = RectifiedAdam(learning_rate=0.001)
    path = []
    for gradient in gradients:
        optimizer.apply([gradient], [variable])
        path.append(ops.convert_to_numpy(variable).copy())
    return np.stack(path)


def test_radam_with_dense_gradients(reference):
    gradients = map(ops.convert_to_tensor, reference["radam_dense_gradients"])
    path = apply_steps(reference, gradients)
    assert len(path) == 50
    np.testing.assert_allclose(path, reference["radam_dense"], rtol=0, atol=1e-5)


@pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="has sparse gradients"
)
def test_radam_with_sparse_gradients(reference):
    import tensorflow as tf

    height = reference["radam_start"].shape[0]
    gradients = (
        tf.IndexedSlices(values, rows, [height, values.shape[1]])
        for values, rows in zip(
            reference["radam_row_gradients"], reference["radam_rows"], strict=True
        )
    )
    path = apply_steps(reference, gradients)
    assert len(path) == 50
    np.testing.assert_allclose(path, reference["radam_table"], rtol=0, atol=1e-5)
