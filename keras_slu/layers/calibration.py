"""Calibration: probabilities that say how often the answer is right."""

import keras
from keras import ops

from keras_slu.layers.softmax import softmax


@keras.saving.register_keras_serializable(package="keras_slu")
class Calibration(keras.layers.Layer):
    """Calibrates an answer's probabilities and says which are unknown.

    Intents: `softmax(logits / T)`, or `sigmoid(logits / T)` where an utterance
    has any number of them; active are then those at or above a threshold.
    Slots: `sigmoid(logit(p) / T')`, written so that it holds at 0 and 1 too. An
    utterance is unknown when the probability of its best intent is below a
    threshold, or ahead of the second best by less than a margin, which is for
    the softmax. No arg-max moves.

    The numbers are weights that training does not touch: they are fitted
    afterwards, on data that were held out. As made they change nothing and
    call nothing unknown; a sigmoid's intents are active from 0.5 on. All is in
    float32 under any dtype policy, or in float64 when the policy is float64.

    Args:
        intent_head: str. `"softmax"` or `"sigmoid"`. Defaults to `"softmax"`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        intent_logits: float tensor `(batch, intents)`.
        slot_confidence: float tensor `(batch, time)`, within `[0, 1]`.

    Returns:
        dict: `intent_probabilities` `(batch, intents)`; `slot_confidence`
        `(batch, time)`; `is_unknown` `(batch,)` bool; of a sigmoid also
        `intent_active` `(batch, intents)` bool.

    Example:

    >>> import numpy as np
    >>> calibration = Calibration()
    >>> calibration.build()
    >>> _ = calibration.intent_temperature.assign(2.0)
    >>> _ = calibration.slot_temperature.assign(2.0)
    >>> _ = calibration.unknown_threshold.assign(0.75)
    >>> logits, confidence = np.array([[2.0, 0.0]]), np.array([[0.9, 1.0, 0.0]])
    >>> answers = calibration(logits, confidence)
    >>> answers["intent_probabilities"].numpy().round(2)
    array([[0.73, 0.27]], dtype=float32)
    >>> answers["slot_confidence"].numpy().round(2)
    array([[0.75, 1.  , 0.  ]], dtype=float32)
    >>> answers["is_unknown"].numpy()
    array([ True])

    Reference:
        - [Guo et al., 2017](https://arxiv.org/abs/1706.04599), section 4.2
        - [Hendrycks and Gimpel, 2017](https://arxiv.org/abs/1610.02136), the
          best probability as the measure of the unknown
    """

    def __init__(self, intent_head="softmax", **kwargs):
        super().__init__(autocast=False, **kwargs)
        self.intent_head = intent_head
        self.float_dtype = "float64" if self.compute_dtype == "float64" else "float32"

    def build(self, input_shape=None):
        def weight(name, value):
            return self.add_weight(
                name=name,
                shape=(),
                initializer=keras.initializers.Constant(value),
                trainable=False,
                dtype=self.float_dtype,
                autocast=False,
            )

        self.intent_temperature = weight("intent_temperature", 1.0)
        self.slot_temperature = weight("slot_temperature", 1.0)
        self.unknown_threshold = weight("unknown_threshold", 0.0)
        self.unknown_margin = weight("unknown_margin", 0.0)
        if self.intent_head == "sigmoid":
            self.intent_threshold = weight("intent_threshold", 0.5)

    def call(self, intent_logits, slot_confidence):
        logits = ops.cast(intent_logits, self.float_dtype) / self.intent_temperature
        is_set = self.intent_head == "sigmoid"
        probabilities = ops.sigmoid(logits) if is_set else softmax(logits)
        answers = {
            "intent_probabilities": probabilities,
            "slot_confidence": self._temper(slot_confidence),
            "is_unknown": self._is_unknown(probabilities),
        }
        if is_set:
            answers["intent_active"] = probabilities >= self.intent_threshold
        return answers

    def compute_output_spec(self, intent_logits, slot_confidence):
        batch = intent_logits.shape[:1]
        specs = {
            "intent_probabilities": keras.KerasTensor(
                intent_logits.shape, self.float_dtype
            ),
            "slot_confidence": keras.KerasTensor(
                slot_confidence.shape, self.float_dtype
            ),
            "is_unknown": keras.KerasTensor(batch, "bool"),
        }
        if self.intent_head == "sigmoid":
            specs["intent_active"] = keras.KerasTensor(intent_logits.shape, "bool")
        return specs

    def get_config(self):
        return {**super().get_config(), "intent_head": self.intent_head}

    def load_own_variables(self, store):
        # Models saved before there was calibration load as not calibrated.
        if store.keys():
            super().load_own_variables(store)

    def _temper(self, confidence):
        # Sums of products may end a little above 1.
        right = ops.clip(ops.cast(confidence, self.float_dtype), 0.0, 1.0)
        power = 1.0 / self.slot_temperature
        wrong = (1.0 - right) ** power
        right = right**power
        return right / (right + wrong)

    def _is_unknown(self, probabilities):
        # A class of probability 0 stands in for the second where there is one.
        best, _ = ops.top_k(ops.pad(probabilities, [[0, 0], [0, 1]]), 2)
        best, second = best[:, 0], best[:, 1]
        return ops.logical_or(
            best < self.unknown_threshold, best - second < self.unknown_margin
        )
