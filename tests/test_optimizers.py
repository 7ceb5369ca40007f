"""RectifiedAdam against Algorithm 2 of the paper, and inside Keras.

`reference/test_tfa_reference.py` compares it with tensorflow-addons.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from keras import ops

from keras_slu.optimizers import RectifiedAdam

needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="is of the TensorFlow backend"
)
needs_float64 = pytest.mark.skipif(
    keras.backend.backend() == "jax", reason="JAX has no float64 unless told to"
)


def algorithm_2(start, gradients, rate=0.001, beta_1=0.9, beta_2=0.999):
    """The paper's Algorithm 2, line by line; epsilon is Adam's usual 1e-7."""
    theta = np.float64(start)
    m, v = np.zeros_like(theta), np.zeros_like(theta)
    rho_inf = 2 / (1 - beta_2) - 1
    for t, gradient in enumerate(np.float64(gradients), 1):
        m = beta_1 * m + (1 - beta_1) * gradient
        v = beta_2 * v + (1 - beta_2) * gradient**2
        unbiased = m / (1 - beta_1**t)
        rho = rho_inf - 2 * t * beta_2**t / (1 - beta_2**t)
        # The paper says 4; its authors' code, and all others', 5.
        if rho >= 5:
            adaptive = 1 / (np.sqrt(v / (1 - beta_2**t)) + 1e-7)
            r = np.sqrt(
                ((rho - 4) * (rho - 2) * rho_inf)
                / ((rho_inf - 4) * (rho_inf - 2) * rho)
            )
            theta = theta - rate * r * unbiased * adaptive
        else:
            theta = theta - rate * unbiased
    return theta


def draw(shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def move(optimizer, start, gradients, dtype="float32"):
    """Applies dense gradients one after the other; returns the variable."""
    variable = keras.Variable(start, dtype=dtype)
    for gradient in gradients:
        optimizer.apply([ops.convert_to_tensor(gradient, dtype=dtype)], [variable])
    return ops.convert_to_numpy(variable)


def slices(values, rows, height):
    import tensorflow as tf

    return tf.IndexedSlices(
        tf.constant(values), tf.constant(rows), tf.constant([height, values.shape[1]])
    )


def dense(values, rows, height):
    """What `slices` stands for."""
    total = np.zeros((height, values.shape[1]), "float32")
    np.add.at(total, rows, values)
    return total


@pytest.mark.parametrize(
    "beta_1, beta_2",
    # The last never gets a moving average long enough.
    [(0.9, 0.999), (0.5, 0.99), (0.9, 0.9999), (0.9, 0.6)],
)
@pytest.mark.parametrize("shape", [(4, 3), (5,), ()])
def test_dense_steps_are_those_of_the_paper(beta_1, beta_2, shape):
    start, gradients = draw(shape), draw((50, *shape), seed=1)
    optimizer = RectifiedAdam(0.01, beta_1=beta_1, beta_2=beta_2)
    moved = move(optimizer, start, gradients)
    expected = algorithm_2(start, gradients, 0.01, beta_1, beta_2)
    np.testing.assert_allclose(moved, expected, atol=1e-6)


@pytest.mark.parametrize(
    "settings", [{}, {"weight_decay": 0.1, "global_clipnorm": 1.0}]
)
def test_without_rectification_steps_are_those_of_keras_adam(settings):
    start, gradients = draw((4, 3)), draw((50, 4, 3), seed=1)
    moved = move(RectifiedAdam(0.01, rectify=False, **settings), start, gradients)
    expected = move(keras.optimizers.Adam(0.01, **settings), start, gradients)
    np.testing.assert_allclose(moved, expected, atol=1e-5)
    assert np.abs(moved - move(RectifiedAdam(0.01), start, gradients)).max() > 0.01


def test_small_gradients_are_not_lost_in_the_first_steps():
    gradients = np.full((3, 2), 1e-12, "float32")
    moved = move(RectifiedAdam(1.0), np.zeros(2), gradients)
    np.testing.assert_allclose(moved, -3e-12, rtol=1e-5)


@pytest.mark.parametrize(
    "dtype, tolerance",
    [
        pytest.param("float64", 1e-7, marks=needs_float64),
        ("float16", 1e-2),
        ("bfloat16", 5e-2),
    ],
)
def test_other_precisions(dtype, tolerance):
    start, gradients = draw((4, 3)), draw((20, 4, 3), seed=1)
    moved = move(RectifiedAdam(0.01), start, gradients, dtype)
    assert str(moved.dtype) == dtype
    expected = algorithm_2(start, gradients, 0.01)
    np.testing.assert_allclose(moved, expected, atol=tolerance)


def test_a_beta_out_of_range_is_refused():
    with pytest.raises(ValueError, match="beta_2=1.0"):
        RectifiedAdam(beta_2=1.0)


def test_weight_decay_is_decoupled():
    start = draw((4, 3))
    moved = move(RectifiedAdam(0.01, weight_decay=0.1), start, np.zeros((2, 4, 3)))
    np.testing.assert_allclose(moved, start * (1 - 0.01 * 0.1) ** 2, rtol=1e-6)


def test_the_config_makes_the_same_optimizer():
    schedule = keras.optimizers.schedules.ExponentialDecay(0.01, 3, 0.5)
    optimizer = RectifiedAdam(
        schedule, beta_1=0.8, epsilon=1e-5, rectify=False, clipnorm=2.0
    )
    again = keras.optimizers.deserialize(keras.optimizers.serialize(optimizer))
    assert isinstance(again, RectifiedAdam)
    assert again.get_config() == optimizer.get_config()


def test_a_schedule_is_followed():
    schedule = keras.optimizers.schedules.PiecewiseConstantDecay([4], [0.01, 0.0])
    gradients = draw((9, 4), seed=1)
    moved = move(RectifiedAdam(schedule), np.zeros(4), gradients)
    expected = algorithm_2(np.zeros(4), gradients[:5], 0.01)
    np.testing.assert_allclose(moved, expected, atol=1e-6)


@needs_tensorflow
def test_sparse_gradients_move_the_rows_they_hold_and_no_other():
    height, steps = 6, 40
    rows = np.random.default_rng(0).integers(height - 1, size=(steps, 3))
    values = draw((steps, 3, 2), seed=1)
    table = keras.Variable(draw((height, 2)))
    start = table.numpy()
    optimizer = RectifiedAdam(0.01)
    for step in range(steps):
        before = table.numpy()
        optimizer.apply([slices(values[step], rows[step], height)], [table])
        still = np.setdiff1d(np.arange(height), rows[step])
        np.testing.assert_array_equal(table.numpy()[still], before[still])
    # A row's moments go on decaying while it is away: its steps are the
    # whole-table steps of the paper at which it was present.
    expected = np.float64(start)
    whole = np.stack([dense(values[s], rows[s], height) for s in range(steps)])
    for step in range(steps):
        after = algorithm_2(start, whole[: step + 1], 0.01)
        before = algorithm_2(start, whole[:step], 0.01)
        present = np.unique(rows[step])
        expected[present] += (after - before)[present]
    np.testing.assert_allclose(table.numpy(), expected, atol=1e-6)


@needs_tensorflow
def test_sparse_and_dense_gradients_may_take_turns():
    rows = np.array([0, 2, 2])
    gradients = [draw((3, 2), seed=seed) for seed in range(8)]
    whole = [dense(gradient, rows, 4) for gradient in gradients]

    def turns(first_sparse):
        table = keras.Variable(np.zeros((4, 2), "float32"))
        optimizer = RectifiedAdam(0.01)
        for step, gradient in enumerate(gradients):
            sparse = (step % 3 == 0) == first_sparse
            given = slices(gradient, rows, 4) if sparse else whole[step]
            optimizer.apply([given], [table])
        return table.numpy()

    # Rows 0 and 2 are in each batch, rows 1 and 3 in none: all agree.
    expected = algorithm_2(np.zeros((4, 2)), whole, 0.01)
    np.testing.assert_allclose(turns(first_sparse=True), expected, atol=1e-6)
    np.testing.assert_allclose(turns(first_sparse=False), expected, atol=1e-6)


@needs_tensorflow
@pytest.mark.parametrize("clip", ["clipnorm", "global_clipnorm", "clipvalue"])
def test_clipping_sees_the_summed_rows(clip):
    # Two equal gradients of one row: their norm is 2, not sqrt(2).
    rows, values = np.array([1, 1, 2]), np.array([[1.0], [1.0], [0.0]], "float32")
    optimizer = RectifiedAdam(1.0, **{clip: 0.5})
    table = keras.Variable(np.zeros((3, 1), "float32"))
    optimizer.apply([slices(values, rows, 3)], [table])
    np.testing.assert_allclose(table.numpy(), [[0.0], [-0.5], [0.0]], atol=1e-6)


@needs_tensorflow
def test_clipping_leaves_a_sparse_gradient_sparse():
    optimizer = RectifiedAdam(0.01, global_clipnorm=0.5)
    table = keras.Variable(draw((4, 2)))
    optimizer.apply([slices(draw((2, 2)), np.array([0, 3]), 4)], [table])
    before = table.numpy()
    optimizer.apply([slices(draw((1, 2)), np.array([3]), 4)], [table])
    np.testing.assert_array_equal(table.numpy()[:3], before[:3])


def small_model(optimizer, **compile_arguments):
    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((5,), dtype="int32"),
            keras.layers.Embedding(20, 3),
            keras.layers.GlobalAveragePooling1D(),
            keras.layers.Dense(1),
        ]
    )
    model.compile(optimizer=optimizer, loss="mse", **compile_arguments)
    return model


def fit(model, first, last):
    """Trains on the batches `first` to `last` of one fixed sequence."""
    rng = np.random.default_rng(3)
    ids, targets = rng.integers(20, size=(80, 5)), rng.normal(size=(80, 1))
    chosen = slice(first * 8, last * 8)
    model.fit(ids[chosen], targets[chosen], batch_size=8, shuffle=False, verbose=0)


@needs_tensorflow
@pytest.mark.parametrize(
    "settings",
    [
        {"global_clipnorm": 0.1, "weight_decay": 0.1},
        {"use_ema": True, "ema_momentum": 0.5, "ema_overwrite_frequency": 2},
    ],
)
def test_a_resumed_run_equals_an_undisturbed_one(settings, tmp_path):
    straight = small_model(RectifiedAdam(0.01, **settings))
    fit(straight, 0, 5)
    fit(straight, 5, 10)
    stopped = small_model(RectifiedAdam(0.01, **settings))
    fit(stopped, 0, 5)
    stopped.save(tmp_path / "model.keras")
    resumed = keras.models.load_model(tmp_path / "model.keras")
    assert int(resumed.optimizer.iterations) == 5
    fit(resumed, 5, 10)
    for a, b in zip(straight.get_weights(), resumed.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


@needs_tensorflow
def test_rows_are_averaged_as_a_whole_table_is():
    # Rows of the first batches rest in the later ones; 19 is in none.
    batches = [draw((4, 5), seed=k) for k in range(12)]
    batches = [np.abs(b * 1e4).astype(int) % (12 - k) for k, b in enumerate(batches)]
    batches[1][:] = 0
    optimizer = RectifiedAdam(0.05, use_ema=True, ema_momentum=0.8)
    model = small_model(optimizer)
    average = None
    for ids in batches[:7], batches[7:]:
        for batch in ids:
            model.train_on_batch(batch, np.ones((4, 1)))
            table = model.get_weights()[0]
            average = table if average is None else 0.8 * average + 0.2 * table
        weights = model.get_weights()
        optimizer.finalize_variable_values(model.trainable_variables)
        final = model.get_weights()[0]
        np.testing.assert_allclose(final, average, atol=1e-6)
        model.set_weights(weights)  # and training goes on
    assert (table[19] == final[19]).all()
    assert not np.allclose(table[:12], average[:12], atol=1e-3)


@needs_tensorflow
def test_the_moving_average_is_the_final_weight():
    optimizer = RectifiedAdam(0.01, use_ema=True, ema_momentum=0.9)
    model = small_model(optimizer)
    weights = []
    keep = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: weights.append(model.get_weights()[0])
    )
    ids = np.arange(80).reshape(16, 5) % 20
    model.fit(ids, np.ones((16, 1)), batch_size=4, callbacks=[keep], verbose=0)
    average = weights[0]
    for weight in weights[1:]:
        average = 0.9 * average + 0.1 * weight
    np.testing.assert_allclose(model.get_weights()[0], average, atol=1e-6)


@needs_tensorflow
def test_gradients_can_be_accumulated():
    optimizer = RectifiedAdam(0.01, gradient_accumulation_steps=2)
    gradients = draw((20, 4, 3), seed=1)
    moved = move(optimizer, draw((4, 3)), gradients)
    means = gradients.reshape(10, 2, 4, 3).mean(axis=1)
    np.testing.assert_allclose(moved, algorithm_2(draw((4, 3)), means, 0.01), atol=1e-6)


@needs_tensorflow
def test_a_loss_scale_changes_nothing_and_skips_infinite_gradients():
    plain = small_model(RectifiedAdam(0.01))
    scaled = small_model(keras.optimizers.LossScaleOptimizer(RectifiedAdam(0.01)))
    for model in (plain, scaled):
        fit(model, 0, 10)
    for a, b in zip(plain.get_weights(), scaled.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)
    infinite = np.full((8, 1), np.inf)
    scaled.fit(np.ones((8, 5), "int32"), infinite, batch_size=8, verbose=0)
    assert int(scaled.optimizer.iterations) == 10
    for a, b in zip(plain.get_weights(), scaled.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


@needs_tensorflow
def test_it_trains_under_mixed_precision_and_compiled_by_xla():
    plain = small_model(RectifiedAdam(0.01))
    compiled = small_model(RectifiedAdam(0.01), jit_compile=True)
    keras.config.set_dtype_policy("mixed_float16")
    try:
        mixed = small_model(RectifiedAdam(0.01))
    finally:
        keras.config.set_dtype_policy("float32")
    for model in (plain, compiled, mixed):
        fit(model, 0, 10)
    assert isinstance(mixed.optimizer, keras.optimizers.LossScaleOptimizer)
    for other, tolerance in ((compiled, 1e-5), (mixed, 1e-2)):
        for a, b in zip(plain.get_weights(), other.get_weights(), strict=True):
            np.testing.assert_allclose(a, b, atol=tolerance)


@needs_tensorflow
def test_two_replicas_give_the_weights_of_one():
    script = Path(__file__).with_name("two_replicas_of_the_optimizer.py")
    child = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    differences = json.loads(child.stdout.splitlines()[-1])
    assert len(differences) == 3
    assert max(differences.values()) < 1e-6, differences
