"""The softmax head's confidence, span by span."""

import numpy as np
from checks import array

from keras_slu.models.slot_confidence import least_probability

NAMES = ["O", "B-a", "I-a", "B-b", "I-b"]


def reference(probabilities, tags):
    """Walks along one utterance and closes a span where its tags stop."""
    confidence, start = np.zeros(len(tags)), 0
    real = int((tags >= 0).sum())
    for time in range(1, real + 1):
        name, before = NAMES[tags[time]] if time < real else "O", NAMES[tags[time - 1]]
        goes_on = time < real and name[0] == "I" and before in ("B" + name[1:], name)
        if not goes_on:
            confidence[start:time] = probabilities[start:time].min()
            start = time
    return confidence


def test_by_hand():
    tags = np.array([[1, 2, 2, 1, 0, 0, -1]])  # B-a I-a I-a B-a O O
    probabilities = np.array([[0.9, 0.5, 0.8, 0.7, 0.6, 0.4, 0.1]], "float32")
    confidence = array(least_probability(probabilities, tags, NAMES))
    np.testing.assert_allclose(confidence, [[0.5, 0.5, 0.5, 0.7, 0.6, 0.4, 0.0]])


def test_random_tags():
    rng = np.random.default_rng(0)
    tags = rng.integers(len(NAMES), size=(200, 6)).astype("int32")
    tags[np.arange(6)[None] >= rng.integers(1, 7, size=(200, 1))] = -1
    probabilities = rng.random((200, 6)).astype("float32")
    confidence = array(least_probability(probabilities, tags, NAMES))
    for row in range(200):
        np.testing.assert_array_equal(
            confidence[row], reference(probabilities[row], tags[row]).astype("float32")
        )


def test_one_token():
    confidence = least_probability(np.array([[0.5]], "float32"), np.array([[2]]), NAMES)
    assert array(confidence).tolist() == [[0.5]]
