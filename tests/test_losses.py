"""The losses by hand."""

import keras
import numpy as np
import pytest
from checks import array
from checks import draw

from keras_slu.losses import FocalCrossentropy
from keras_slu.losses import IntentCrossentropy
from keras_slu.losses import IntentSetCrossentropy
from keras_slu.losses import SlotCrossentropy
from keras_slu.losses import UtteranceMean
from keras_slu.losses import symmetric_divergence

# Probabilities 1/8, 5/8 and 2/8; then 1/2, 1/4 and 1/4.
LOGITS = np.log([[1.0, 5.0, 2.0], [2.0, 1.0, 1.0]]).astype("float32")


def smoothed(logits, labels, smoothing):
    """Cross-entropy with a target of `1 - smoothing` and an even rest."""
    probabilities = np.exp(np.float64(logits))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    classes = logits.shape[-1]
    target = (1 - smoothing) * np.eye(classes)[labels] + smoothing / classes
    losses = -(target * np.log(probabilities)).sum(axis=-1)
    return np.where(labels < 0, 0.0, losses)


def test_intents_by_hand():
    labels = np.array([1, 2])
    by_hand = [np.log(8 / 5), np.log(4)]
    loss = IntentCrossentropy()
    np.testing.assert_allclose(array(loss.call(labels, LOGITS)), by_hand, atol=1e-6)
    assert float(loss(labels, LOGITS)) == pytest.approx(np.mean(by_hand))


def test_slots_by_hand():
    labels = np.array([[0, 2, -1], [1, -1, -1]])
    logits = np.stack([LOGITS[0], LOGITS[1], [9.0, 0.0, 0.0]])[None].repeat(2, axis=0)
    # Summed over tokens: a long utterance weighs more than a short one.
    by_hand = [np.log(8) + np.log(4), np.log(8 / 5)]
    loss = SlotCrossentropy()
    np.testing.assert_allclose(array(loss.call(labels, logits)), by_hand, atol=1e-6)
    assert float(loss(labels, logits)) == pytest.approx(np.mean(by_hand))
    half = SlotCrossentropy(weight=0.5)
    assert float(half(labels, logits)) == pytest.approx(np.mean(by_hand) / 2)


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
def test_sets_of_intents_by_hand(smoothing):
    labels = np.array([[1, 0, 1], [-1, -1, -1], [0, 0, 0]])
    logits = 3 * draw(3, 3)
    yes = 1 / (1 + np.exp(-np.float64(logits)))
    target = (1 - smoothing) * labels + smoothing / 2
    by_hand = -(target * np.log(yes) + (1 - target) * np.log(1 - yes)).sum(axis=1)
    by_hand[1] = 0.0
    loss = IntentSetCrossentropy(smoothing)
    np.testing.assert_allclose(array(loss.call(labels, logits)), by_hand, atol=1e-5)
    assert float(loss(labels, logits)) == pytest.approx(by_hand.mean(), rel=1e-5)
    of_tokens = array(loss.call(labels[None], logits[None]))
    np.testing.assert_allclose(of_tokens, by_hand[None], atol=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.6])
def test_label_smoothing(smoothing):
    labels = np.array([[0, 3, -1, 1], [2, -1, -1, 0]])
    logits = draw(2, 4, 4)
    np.testing.assert_allclose(
        array(SlotCrossentropy(smoothing).call(labels, logits)),
        smoothed(logits, labels, smoothing).sum(axis=-1),
        atol=1e-5,
    )
    np.testing.assert_allclose(
        array(IntentCrossentropy(smoothing).call(labels[:, 1], logits[:, 1])),
        smoothed(logits[:, 1], labels[:, 1], smoothing),
        atol=1e-5,
    )


@pytest.mark.parametrize("loss", [IntentCrossentropy(0.1), SlotCrossentropy(0.1)])
def test_a_label_of_minus_1_counts_nothing(loss):
    shape = (2, 3) if loss.name == "slots" else (2,)
    labels = np.zeros(shape, "int32")
    labels[1] = -1
    logits = draw(*shape, 4)
    expected = float(loss(labels[:1], logits[:1])) / 2  # it is in the batch size
    assert float(loss(labels, logits)) == pytest.approx(expected, rel=1e-5)
    logits[1] = 1e4 * draw(*shape[1:], 4, seed=1)
    assert float(loss(labels, logits)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("loss", [IntentCrossentropy(), SlotCrossentropy()])
def test_weights_are_those_of_utterances(loss):
    shape = (3, 4) if loss.name == "slots" else (3,)
    labels, logits = np.ones(shape, "int32"), draw(*shape, 5)
    losses = array(loss.call(labels, logits))
    weights = np.array([2.0, 0.0, 1.0], "float32")
    expected = (losses * weights).sum() / 3
    assert float(loss(labels, logits, weights)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("loss", [IntentCrossentropy(0.1), SlotCrossentropy(0.1)])
def test_logits_of_half_precision_keep_float32_numbers(loss):
    shape = (2, 30) if loss.name == "slots" else (2,)
    labels = np.ones(shape, "int32")
    logits = (20 * draw(*shape, 5)).astype("float16")
    losses = loss.call(labels, logits)
    assert keras.backend.standardize_dtype(losses.dtype) == "float32"
    exact = loss.call(labels, logits.astype("float32"))
    np.testing.assert_array_equal(array(losses), array(exact))


def test_the_utterance_mean():
    losses = np.array([1.0, 2.0, 6.0], "float32")
    mean = UtteranceMean()
    assert float(mean(losses, losses)) == 3.0
    weights = np.array([1.0, 1.0, 0.0], "float32")
    assert float(mean(losses, losses, weights)) == 1.0


@pytest.mark.parametrize(
    "loss",
    [
        IntentCrossentropy(0.2, name="intents"),
        SlotCrossentropy(0.2, weight=0.5, name="tags"),
        UtteranceMean(),
    ],
)
def test_the_config_makes_the_same_loss(loss):
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    assert type(again) is type(loss)
    assert again.get_config() == loss.get_config()


@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_focal_loss_by_hand(gamma):
    labels = np.array([[1, 2], [0, -1]])
    logits = np.stack([LOGITS, LOGITS])
    gold = np.array([[5 / 8, 1 / 4], [1 / 8, 1.0]])
    by_hand = -((1 - gold) ** gamma * np.log(gold)).sum(axis=1)
    loss = FocalCrossentropy(gamma)
    np.testing.assert_allclose(array(loss.call(labels, logits)), by_hand, atol=1e-6)
    assert float(loss(labels, logits)) == pytest.approx(by_hand.mean())
    again = FocalCrossentropy.from_config(loss.get_config())
    assert again.gamma == gamma


def test_the_divergence_of_two_passes_by_hand():
    one, two = 2 * draw(2, 3, 4), 2 * draw(2, 3, 4, seed=1)
    mask = np.array([[True, True, False], [True, False, False]])
    p, q = (np.exp(np.float64(logits)) for logits in (one, two))
    p, q = (e / e.sum(axis=-1, keepdims=True) for e in (p, q))
    forth = (p * np.log(p / q)).sum(axis=-1)
    back = (q * np.log(q / p)).sum(axis=-1)
    by_hand = ((forth + back) / 2 * mask).sum(axis=1)
    found = array(symmetric_divergence(one, two, mask))
    np.testing.assert_allclose(found, by_hand, rtol=1e-5)
    # Padding may hold anything.
    two[~mask] = 1e4
    np.testing.assert_allclose(
        array(symmetric_divergence(one, two, mask)), by_hand, rtol=1e-5
    )
