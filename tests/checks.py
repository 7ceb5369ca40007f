"""The shared checks, which every layer and every model passes in one call.

Tests take `check_layer` and `check_model` as the fixtures of `conftest.py`.
"""

import json
import pickle

import keras
import numpy as np
import pytest
from keras import ops

needs_tensorflow = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="is of the TensorFlow backend"
)

MORE_PADDING = 3  # time steps

LOAD_AND_CALL = """
model = keras.models.load_model("model.keras")
outputs = keras.tree.flatten(model(dict(np.load("inputs.npz"))))
np.savez("outputs.npz", *[keras.ops.convert_to_numpy(output) for output in outputs])
"""

LOAD_CALL_AND_FIT = """
import pickle
model = keras.models.load_model("model.keras")
with open("data.pickle", "rb") as stream:
    x, y = pickle.load(stream)
outputs = keras.tree.flatten(model(x))
np.savez("outputs.npz", *[keras.ops.convert_to_numpy(output) for output in outputs])
state = [variable.numpy() for variable in model.optimizer.variables]
np.savez("optimizer.npz", *state)
model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0)
np.savez("weights.npz", *model.get_weights())
"""


def array(tensor):
    return ops.convert_to_numpy(tensor)


def arrays(outputs):
    return [array(output) for output in keras.tree.flatten(outputs)]


def draw(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def prefix_mask(lengths, time):
    """A bool mask `(batch, time)`, true at the first `lengths[b]` steps."""
    return np.arange(time)[None] < np.array(lengths)[:, None]


def draw_weights(layer, seed=0):
    """Gives all weights random values: fresh biases are zero and hide faults."""
    rng = np.random.default_rng(seed)
    layer.set_weights([rng.normal(size=w.shape) * 0.5 for w in layer.get_weights()])


def gradients(function, variables):
    """The gradients of a scalar function, with TensorFlow only."""
    import tensorflow as tf

    with tf.GradientTape() as tape:
        value = function()
    found = tape.gradient(value, [variable.value for variable in variables])
    lost = [v.path for v, g in zip(variables, found, strict=True) if g is None]
    assert not lost, f"no gradient reaches {lost}"
    return [tf.convert_to_tensor(gradient).numpy() for gradient in found]


def assert_close(found, expected, tolerance):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def assert_equal(found, expected):
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def check_layer(make, inputs, timeless=(), *, fresh_process, folder):
    """Checks config, saving, specs, precisions, gradients and masking.

    Args:
        make: function that gives a new layer and takes `dtype=`.
        inputs: dict of arrays, the call arguments by name, `(batch, time, ...)`.
            Outputs have the same first two axes. Without a `padding_mask`
            among them, all time steps are real.
        timeless: names of the inputs that have neither batch nor time.
    """
    layer = make()
    layer(**inputs)
    draw_weights(layer)
    expected = arrays(layer(**inputs))
    check_config(layer, inputs, expected)
    check_symbolic_and_saved(layer, inputs, expected, timeless, fresh_process, folder)
    check_precision(make, "mixed_float16", "float16", layer, inputs, expected)
    if keras.backend.backend() != "jax":  # it has no float64 unless told to
        check_precision(make, "float64", "float64", layer, inputs, expected)
    check_more_padding(layer, inputs, timeless)


def check_config(layer, inputs, expected):
    """The config, as JSON, makes the same layer."""
    config = json.loads(json.dumps(keras.saving.serialize_keras_object(layer)))
    again = keras.saving.deserialize_keras_object(config)
    assert again.get_config() == layer.get_config()
    again(**inputs)
    again.set_weights(layer.get_weights())
    assert_equal(arrays(again(**inputs)), expected)


def check_symbolic_and_saved(layer, inputs, expected, timeless, fresh_process, folder):
    """Specs tell the truth, and a functional model loads in a fresh process."""
    symbols = {}
    for name, value in inputs.items():
        shape = value.shape if name in timeless else (None, None, *value.shape[2:])
        symbols[name] = keras.Input(batch_shape=shape, dtype=value.dtype, name=name)
    outputs = layer(**symbols)
    specs = keras.tree.flatten(outputs)
    for spec, output in zip(specs, expected, strict=True):
        assert len(spec.shape) == output.ndim
        for told, real in zip(spec.shape, output.shape, strict=True):
            assert told in (None, real), (spec.shape, output.shape)
        assert spec.dtype == output.dtype
    model = keras.Model(symbols, outputs)
    assert_close(arrays(model(inputs)), expected, 1e-6)
    model.save(folder / "model.keras")
    np.savez(folder / "inputs.npz", **inputs)
    fresh_process.run(LOAD_AND_CALL, folder)
    assert_close(np.load(folder / "outputs.npz").values(), expected, 1e-6)


def check_precision(make, policy, dtype, layer, inputs, expected):
    """Another dtype policy gives the same numbers, as far as it has digits."""
    other = make(dtype=policy)
    other(**inputs)
    other.set_weights(layer.get_weights())
    outputs = arrays(other(**inputs))
    for output in outputs:
        assert output.dtype == dtype
    assert_close(outputs, expected, 5e-2 if dtype == "float16" else 1e-4)


def check_more_padding(layer, inputs, timeless):
    """Longer padding, whatever it holds, changes no output and no gradient."""
    longer = dict(inputs)
    for name, value in inputs.items():
        if name not in timeless:
            longer[name] = pad(value, 10.0)
    time = next(v for n, v in inputs.items() if n not in timeless).shape[1]
    some = next(iter(set(inputs) - set(timeless)))
    real = inputs.get("padding_mask", np.ones(inputs[some].shape[:2], bool))

    for short, long in zip(
        arrays(layer(**inputs)), arrays(layer(**longer)), strict=True
    ):
        np.testing.assert_allclose(long[:, :time][real], short[real], atol=1e-5)

    if keras.backend.backend() != "tensorflow":
        return

    def loss(inputs):
        """A random linear function of the outputs at real time steps."""
        total = 0.0
        for seed, output in enumerate(keras.tree.flatten(layer(**inputs))):
            output = output[:, :time]
            weights = draw(*output.shape, seed=seed + 50)
            weights[~real] = 0.0
            total += ops.sum(output * weights)
        return total

    weights = layer.trainable_weights
    short = gradients(lambda: loss(inputs), weights)
    long = gradients(lambda: loss(longer), weights)
    for gradient in short:
        assert np.isfinite(gradient).all()
    assert_close(long, short, 1e-4)


def pad(value, scale=0.0):
    """Adds time steps: false, 0, or for floats noise of the given scale."""
    fill = np.zeros((value.shape[0], MORE_PADDING, *value.shape[2:]), value.dtype)
    if value.dtype.kind == "f":
        fill += scale * draw(*fill.shape, seed=99)
    return np.concatenate([value, fill], axis=1)


def check_model(make, x, y, loaded="", *, fresh_process, folder):
    """Checks that a model fits, and goes on in a fresh process as if nothing was.

    Args:
        make: function that gives a new compiled model without dropout.
        x, y: inputs and labels of a few batches of 2.
        loaded: code that asserts more about the loaded `model`.
    """
    model = make()
    before = model.get_weights()
    fit = {"batch_size": 2, "epochs": 2, "shuffle": False, "verbose": 0}
    model.fit(x, y, **fit)
    after = model.get_weights()
    assert all(np.isfinite(weight).all() for weight in after)
    assert any((a != b).any() for a, b in zip(after, before, strict=True))

    model.save(folder / "model.keras")
    with open(folder / "data.pickle", "wb") as stream:
        pickle.dump((x, y), stream)
    outputs = arrays(model(x))
    optimizer = [variable.numpy() for variable in model.optimizer.variables]
    model.fit(x, y, **fit)

    fresh_process.run(LOAD_CALL_AND_FIT + loaded, folder)
    assert_equal(np.load(folder / "outputs.npz").values(), outputs)
    assert_equal(np.load(folder / "optimizer.npz").values(), optimizer)
    # Threads add in any order: two fits of the same agree up to rounding.
    assert_close(np.load(folder / "weights.npz").values(), model.get_weights(), 1e-6)
