"""Frames with the confidences that they had before calibration."""

from dataclasses import replace

import numpy as np

from keras_slu.evaluation.intent_calibration import FittedIntents


def uncalibrated(frame, intent_temperature, slot_temperature, is_set=False):
    """Takes the temperatures back out of a frame's confidences.

    Answers stay as they are: which intents are active, and which slots there
    are.

    Args:
        frame: `Frame`.
        intent_temperature, slot_temperature: float, by which the frame's
            probabilities and confidences are calibrated.
        is_set: bool. Whether an utterance has any number of intents, each with
            a probability of its own. Defaults to `False`.

    Returns:
        `Frame`.

    Example:

    >>> from keras_slu.parsing.frame import Frame, Intent
    >>> frame = Frame("hi", (Intent("a", 0.75, True), Intent("b", 0.25, False)), ())
    >>> round(uncalibrated(frame, 2.0, 1.0).intents[0].probability, 2)
    0.9
    """
    threshold = 0.5 if is_set else None
    probabilities = [[intent.probability for intent in frame.intents]]
    before = FittedIntents(1.0 / intent_temperature, threshold).temper(
        np.array(probabilities)
    )[0]
    confidences = np.array([slot.confidence for slot in frame.slots])
    slots_before = FittedIntents(1.0 / slot_temperature, 0.5).temper(confidences)
    return replace(
        frame,
        intents=tuple(
            replace(intent, probability=float(probability))
            for intent, probability in zip(frame.intents, before, strict=True)
        ),
        slots=tuple(
            replace(slot, confidence=float(confidence))
            for slot, confidence in zip(frame.slots, slots_before, strict=True)
        ),
    )
