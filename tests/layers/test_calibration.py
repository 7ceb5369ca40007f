"""Calibration against its formulas, and what it leaves alone."""

import keras
import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import assert_close
from checks import draw

from keras_slu.layers.calibration import Calibration

LOGITS = 4.0 * draw(50, 6)
LOAD_AND_CALL = """
inputs = np.load("inputs.npz")
model = keras.models.load_model("model.keras")
found = keras.tree.flatten(model([inputs["logits"], inputs["confidence"]]))
np.savez("outputs.npz", *map(keras.ops.convert_to_numpy, found))
"""
CONFIDENCE = np.random.default_rng(1).random((50, 7)).astype("float32")


def make(intent=1.0, slot=1.0, threshold=0.0, margin=0.0, **kwargs):
    calibration = Calibration(**kwargs)
    calibration.build()
    calibration.set_weights(np.array([intent, slot, threshold, margin]))
    return calibration


def make_sets(temperature, unknown, active):
    calibration = Calibration("sigmoid")
    calibration.build()
    calibration.set_weights(np.array([temperature, 1.0, unknown, 0.0, active]))
    return calibration


def answers(calibration, logits=LOGITS, confidence=CONFIDENCE):
    return {name: array(x) for name, x in calibration(logits, confidence).items()}


def softmax(logits):
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def test_as_made_it_changes_nothing_and_knows_everything():
    found = answers(Calibration())
    np.testing.assert_allclose(
        found["intent_probabilities"], softmax(LOGITS), rtol=1e-5
    )
    np.testing.assert_allclose(found["slot_confidence"], CONFIDENCE, rtol=1e-6)
    assert not found["is_unknown"].any()


@pytest.mark.parametrize("intent, slot", [(0.5, 2.0), (3.0, 0.7)])
def test_temperatures(intent, slot):
    found = answers(make(intent, slot))
    np.testing.assert_allclose(
        found["intent_probabilities"], softmax(LOGITS / intent), rtol=1e-4
    )
    p = np.float64(CONFIDENCE)
    logit = np.log(p) - np.log(1 - p)
    np.testing.assert_allclose(
        found["slot_confidence"], 1 / (1 + np.exp(-logit / slot)), rtol=1e-4
    )


@pytest.mark.parametrize("temperature", [0.05, 0.4, 1.0, 20.0])
def test_confidences_at_the_ends(temperature):
    ends = np.array([[0.0, 1e-30, 1.0, np.nextafter(np.float32(1), np.float32(2))]])
    found = answers(make(slot=temperature), LOGITS[:1], ends)["slot_confidence"]
    assert found[0, 0] == 0.0
    assert 0.0 <= found[0, 1] < 0.05
    assert found[0, 2:].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("threshold, margin", [(0.6, 0.0), (0.0, 0.3), (0.6, 0.3)])
def test_the_unknown(threshold, margin):
    is_unknown = answers(make(2.0, 1.0, threshold, margin))["is_unknown"]
    assert is_unknown.dtype == bool
    for row, found in zip(softmax(LOGITS / 2.0), is_unknown, strict=True):
        second, best = np.sort(row)[-2:]
        assert found == (best < threshold or best - second < margin)
    assert 0 < is_unknown.sum() < len(is_unknown)


def test_one_intent_is_always_known():
    calibration = make(3.0, 1.0, 0.99, 0.99)
    found = answers(calibration, LOGITS[:, :1])
    assert (found["intent_probabilities"] == 1.0).all()
    assert not found["is_unknown"].any()


def test_it_is_not_trained():
    calibration = make()
    assert len(calibration.weights) == 4
    assert calibration.trainable_weights == []


@pytest.mark.parametrize(
    "policy, dtype", [("mixed_float16", "float32"), ("float64", "float64")]
)
def test_precision(policy, dtype):
    settings = (0.8, 1.7, 0.5, 0.1)
    calibration = make(*settings, dtype=policy)
    assert {weight.dtype for weight in calibration.weights} == {dtype}
    found = answers(calibration)
    assert found["intent_probabilities"].dtype == dtype
    assert found["slot_confidence"].dtype == dtype
    assert_close(found.values(), answers(make(*settings)).values(), 1e-5)


def test_it_is_saved_in_a_functional_model(fresh_process, tmp_path):
    logits, confidence = keras.Input((6,)), keras.Input((None,))
    outputs = make(0.8, 1.7, 0.5, 0.1)(logits, confidence)
    assert outputs["is_unknown"].dtype == "bool"
    model = keras.Model([logits, confidence], outputs)
    model.save(tmp_path / "model.keras")
    np.savez(tmp_path / "inputs.npz", logits=LOGITS, confidence=CONFIDENCE)
    fresh_process.run(LOAD_AND_CALL, tmp_path)
    expected = arrays(model([LOGITS, CONFIDENCE]))
    assert_close(np.load(tmp_path / "outputs.npz").values(), expected, 1e-6)


def test_sets_of_intents():
    calibration = make_sets(temperature=2.0, unknown=0.6, active=0.7)
    found = answers(calibration)
    yes = 1 / (1 + np.exp(-LOGITS / 2.0))
    np.testing.assert_allclose(found["intent_probabilities"], yes, rtol=1e-5)
    np.testing.assert_array_equal(found["intent_active"], yes >= 0.7)
    assert {0, 1, 2} <= set(found["intent_active"].sum(axis=1))
    np.testing.assert_array_equal(found["is_unknown"], yes.max(axis=1) < 0.6)
    assert 0 < found["is_unknown"].sum() < len(LOGITS)


def test_sets_of_intents_are_saved(fresh_process, tmp_path):
    logits, confidence = keras.Input((6,)), keras.Input((None,))
    outputs = make_sets(2.0, 0.6, 0.7)(logits, confidence)
    assert outputs["intent_active"].dtype == "bool"
    model = keras.Model([logits, confidence], outputs)
    model.save(tmp_path / "model.keras")
    np.savez(tmp_path / "inputs.npz", logits=LOGITS, confidence=CONFIDENCE)
    fresh_process.run(LOAD_AND_CALL, tmp_path)
    expected = arrays(model([LOGITS, CONFIDENCE]))
    assert len(expected) == 4
    assert_close(np.load(tmp_path / "outputs.npz").values(), expected, 1e-6)
