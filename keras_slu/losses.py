"""Losses that give one value an utterance, averaged over utterances.

Tokens are summed inside an utterance, so that two replicas with different
numbers of tokens give the weights of one.
"""

import keras
from keras import ops


@keras.saving.register_keras_serializable(package="keras_slu")
class IntentCrossentropy(keras.losses.Loss):
    """Cross-entropy of intent logits; utterances labelled -1 count nothing.

    Args:
        label_smoothing: float in [0, 1). Share of the gold probability that is
            spread over all intents. Defaults to `0.0`.
        name: str. Defaults to `"intent"`.
        **kwargs: passed to `keras.losses.Loss`.

    Call arguments:
        y_true: int tensor `(batch,)`, -1 where the intent is unseen.
        y_pred: float tensor `(batch, intents)`, logits.

    Returns:
        float32 scalar: the sum over utterances divided by the batch size.

    Example:

    >>> import numpy as np
    >>> loss = IntentCrossentropy()
    >>> float(loss(np.array([1, -1]), np.zeros((2, 4), "float32")))  # log(4) / 2
    0.6931471824645996
    """

    def __init__(self, label_smoothing=0.0, name="intent", **kwargs):
        super().__init__(name=name, **kwargs)
        self.label_smoothing = label_smoothing

    def call(self, y_true, y_pred):
        return _crossentropy(y_true, y_pred, self.label_smoothing)

    def get_config(self):
        return {**super().get_config(), "label_smoothing": self.label_smoothing}


@keras.saving.register_keras_serializable(package="keras_slu")
class IntentSetCrossentropy(keras.losses.Loss):
    """Binary cross-entropy of each intent, summed over the intents.

    For utterances of any number of intents at once.

    Args:
        label_smoothing: float in [0, 1). Share of the gold probability that is
            spread over yes and no. Defaults to `0.0`.
        name: str. Defaults to `"intent"`.
        **kwargs: passed to `keras.losses.Loss`.

    Call arguments:
        y_true: int tensor `(batch, intents)` of 0 and 1, or `(batch, time,
            intents)`; where it is -1, nothing counts.
        y_pred: float tensor of that shape, logits.

    Returns:
        float32 scalar: the sum over utterances divided by the batch size.

    Example:

    >>> import numpy as np
    >>> loss = IntentSetCrossentropy()
    >>> y_true = np.array([[1, 1, 0], [-1, -1, -1]])
    >>> float(loss(y_true, np.zeros((2, 3), "float32")))  # 3 log(2) / 2
    1.0397207736968994
    """

    def __init__(self, label_smoothing=0.0, name="intent", **kwargs):
        super().__init__(name=name, **kwargs)
        self.label_smoothing = label_smoothing

    def call(self, y_true, y_pred):
        logits = _at_least_float32(y_pred)
        gold = ops.cast(y_true, logits.dtype)
        gold = (1.0 - self.label_smoothing) * gold + self.label_smoothing / 2
        losses = ops.softplus(logits) - gold * logits
        return ops.sum(ops.where(y_true < 0, 0.0, losses), axis=-1)

    def get_config(self):
        return {**super().get_config(), "label_smoothing": self.label_smoothing}


@keras.saving.register_keras_serializable(package="keras_slu")
class SlotCrossentropy(keras.losses.Loss):
    """Cross-entropy of slot logits, summed over tokens; tags of -1 count nothing.

    Args:
        label_smoothing: float in [0, 1). Defaults to `0.0`.
        weight: float. Factor of every loss. Defaults to `1.0`.
        name: str. Defaults to `"slots"`.
        **kwargs: passed to `keras.losses.Loss`.

    Call arguments:
        y_true: int tensor `(batch, time)`, -1 at padding and unseen tags.
        y_pred: float tensor `(batch, time, tags)`, logits.

    Returns:
        float32 scalar: the sum over tokens divided by the batch size, times
        `weight`.

    Example:

    >>> import numpy as np
    >>> loss = SlotCrossentropy()
    >>> float(loss(np.array([[1, 0, -1]]), np.zeros((1, 3, 4), "float32")))
    2.7725887298583984
    """

    def __init__(self, label_smoothing=0.0, weight=1.0, name="slots", **kwargs):
        super().__init__(name=name, **kwargs)
        self.label_smoothing = label_smoothing
        self.weight = weight

    def call(self, y_true, y_pred):
        losses = _crossentropy(y_true, y_pred, self.label_smoothing)
        return self.weight * ops.sum(losses, axis=-1)

    def get_config(self):
        config = super().get_config()
        config.update({"label_smoothing": self.label_smoothing, "weight": self.weight})
        return config


@keras.saving.register_keras_serializable(package="keras_slu")
class UtteranceMean(keras.losses.Loss):
    """Averages losses that a layer has computed, one an utterance.

    It is a `keras.losses.Loss` so that Keras scales its value rightly under
    `tf.distribute`; a plain mean would count each replica in full.

    Call arguments:
        y_true: not read.
        y_pred: float tensor `(batch,)`, the losses.

    Returns:
        float32 scalar.
    """

    def call(self, y_true, y_pred):
        return y_pred


def _at_least_float32(logits):
    return ops.cast(logits, keras.backend.result_type(logits.dtype, "float32"))


def _crossentropy(labels, logits, label_smoothing):
    """Cross-entropy over the last axis, 0 where the label is -1."""
    logits = _at_least_float32(logits)
    labels = ops.cast(labels, "int32")
    log_probabilities = ops.log_softmax(logits, axis=-1)
    gold = ops.take_along_axis(
        log_probabilities, ops.maximum(labels, 0)[..., None], axis=-1
    )[..., 0]
    if label_smoothing:
        spread = ops.mean(log_probabilities, axis=-1)
        gold = (1.0 - label_smoothing) * gold + label_smoothing * spread
    return ops.where(labels < 0, 0.0, -gold)


@keras.saving.register_keras_serializable(package="keras_slu")
class FocalCrossentropy(keras.losses.Loss):
    """Focal loss of token logits, summed over tokens; labels of -1 count nothing.

    `-(1 - p)^gamma log p` of the gold class's probability `p`: tokens that
    are certain already count little.

    Args:
        gamma: float. 0 gives the cross-entropy. Defaults to `2.0`.
        name: str. Defaults to `"focal"`.
        **kwargs: passed to `keras.losses.Loss`.

    Call arguments:
        y_true: int tensor `(batch, time)`, -1 at padding.
        y_pred: float tensor `(batch, time, classes)`, logits.

    Returns:
        float32 scalar: the sum over tokens divided by the batch size.

    Example:

    >>> import numpy as np
    >>> loss = FocalCrossentropy()
    >>> float(loss(np.array([[1, -1]]), np.zeros((1, 2, 2), "float32")))  # log(2) / 4
    0.1732867956161499

    Reference:
        - [Lin et al., 2017](https://arxiv.org/abs/1708.02002), equation 4
    """

    def __init__(self, gamma=2.0, name="focal", **kwargs):
        super().__init__(name=name, **kwargs)
        self.gamma = gamma

    def call(self, y_true, y_pred):
        losses = _crossentropy(y_true, y_pred, 0.0)
        weights = (1.0 - ops.exp(-losses)) ** self.gamma
        return ops.sum(weights * losses, axis=-1)

    def get_config(self):
        return {**super().get_config(), "gamma": self.gamma}


def symmetric_divergence(logits, others, mask):
    """R-Drop's distance of two passes, summed over real tokens, `(batch,)`.

    `1/2 (KL(p || q) + KL(q || p))`, with `p` and `q` the softmax of each.

    Args:
        logits, others: float tensors `(batch, time, classes)`.
        mask: bool tensor `(batch, time)`, true at real tokens.

    Example:

    >>> import numpy as np
    >>> one = np.array([[[0.0, 0.0], [5.0, 0.0]]], "float32")
    >>> two = np.array([[[1.0, 0.0], [0.0, 5.0]]], "float32")
    >>> np.round(symmetric_divergence(one, two, np.array([[True, False]])), 4)
    array([0.1155], dtype=float32)

    Reference:
        - [Liang et al., 2021](https://arxiv.org/abs/2106.14448), equation 2
    """
    dtype = keras.backend.result_type(logits.dtype, "float32")
    one, other = (
        ops.log_softmax(ops.cast(values, dtype), axis=-1) for values in (logits, others)
    )
    distance = ops.sum((ops.exp(one) - ops.exp(other)) * (one - other), axis=-1)
    return ops.sum(ops.where(mask, 0.5 * distance, 0.0), axis=-1)
