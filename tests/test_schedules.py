"""Learning-rate schedules against NumPy."""

import json

import keras
import numpy as np
import pytest

from keras_slu.schedules import SHAPES
from keras_slu.schedules import WarmupDecay


def rate(step, peak, total, warmup, shape):
    """The rate by its definition, in double precision."""
    if step < warmup:
        return peak * step / warmup
    left = 1.0 - min((step - warmup) / max(total - warmup, 1), 1.0)
    if shape == "linear":
        return peak * left
    if shape == "cosine":
        return peak * np.sin(left * np.pi / 2) ** 2
    return peak


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("total", "warmup"), [(30, 10), (30, 0), (10, 10), (5, 8)])
def test_rates(shape, total, warmup):
    schedule = WarmupDecay(0.2, total, warmup, shape)
    steps = range(total + 5)
    found = [float(schedule(step)) for step in steps]
    expected = [rate(step, 0.2, total, warmup, shape) for step in steps]
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_the_rate_is_a_tensor_of_an_integer_tensor():
    schedule = WarmupDecay(0.2, 30, 10, "cosine")
    found = schedule(keras.ops.convert_to_tensor(20, "int64"))
    assert keras.backend.standardize_dtype(found.dtype) == "float32"
    assert float(found) == pytest.approx(0.1)


def test_the_config_makes_the_same_schedule():
    schedule = WarmupDecay(0.2, 30, 10, "cosine")
    config = json.loads(json.dumps(keras.optimizers.schedules.serialize(schedule)))
    again = keras.optimizers.schedules.deserialize(config)
    assert isinstance(again, WarmupDecay)
    assert again.get_config() == schedule.get_config()
    for step in (0, 5, 10, 17, 30):
        assert float(again(step)) == float(schedule(step))


def test_an_optimizer_follows_it():
    weight = keras.Variable(0.0)
    optimizer = keras.optimizers.SGD(WarmupDecay(1.0, 4, 2, "linear"))
    seen = []
    for _ in range(5):
        before = float(weight)
        optimizer.apply([keras.ops.ones(())], [weight])
        seen.append(before - float(weight))
    np.testing.assert_allclose(seen, [0.0, 0.5, 1.0, 0.5, 0.0], atol=1e-7)


def test_another_shape_is_an_error():
    with pytest.raises(ValueError, match="`shape` must be one of"):
        WarmupDecay(0.1, 10, shape="square")
