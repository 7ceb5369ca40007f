"""Confidences from before calibration, against the layer that calibrated them."""

import numpy as np
import pytest

from keras_slu.evaluation.uncalibrated import uncalibrated
from keras_slu.layers import Calibration
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot

LOGITS = np.array([[2.0, 0.5, -1.0]])
CONFIDENCES = np.array([[0.9, 0.3]])


def answers(head, *temperatures):
    calibration = Calibration(head, dtype="float64")
    calibration.build()
    if temperatures:
        calibration.intent_temperature.assign(temperatures[0])
        calibration.slot_temperature.assign(temperatures[1])
    answer = calibration(LOGITS, CONFIDENCES)
    return np.array(answer["intent_probabilities"])[0], np.array(
        answer["slot_confidence"]
    )[0]


@pytest.mark.parametrize("head", ["softmax", "sigmoid"])
def test_it_undoes_the_layer(head):
    probabilities, confidences = answers(head, 1.7, 0.6)
    frame = Frame(
        "a b",
        tuple(Intent(f"i{n}", p, n == 0) for n, p in enumerate(probabilities)),
        tuple(Slot("s", "a", n, n + 1, c) for n, c in enumerate(confidences)),
    )
    before = uncalibrated(frame, 1.7, 0.6, is_set=head == "sigmoid")
    wanted = answers(head)
    np.testing.assert_allclose([i.probability for i in before.intents], wanted[0])
    np.testing.assert_allclose([s.confidence for s in before.slots], wanted[1])
    assert before.active_intents == ("i0",)


def test_a_frame_without_slots():
    frame = Frame("a", (Intent("i", 1.0, True),), ())
    assert uncalibrated(frame, 2.0, 2.0) == frame
