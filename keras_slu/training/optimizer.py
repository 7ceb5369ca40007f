"""From a recipe's training settings to an optimizer."""

import keras

from keras_slu.optimizers import RectifiedAdam
from keras_slu.schedules import WarmupDecay


def make_optimizer(training, steps):
    """A recipe's optimizer, for epochs of so many steps."""
    makers = {
        "radam": RectifiedAdam,
        "adam": keras.optimizers.Adam,
        "adamw": keras.optimizers.AdamW,
    }
    averaging = training.weight_averaging
    decay = training.weight_decay
    if not decay and training.optimizer != "adamw":  # which insists on a number
        decay = None  # spares a pass over the weights
    return makers[training.optimizer](
        _schedule(training, steps),
        weight_decay=decay,
        global_clipnorm=training.clip_norm,
        use_ema=averaging is not None,
        ema_momentum=averaging or 0.99,
    )


def _schedule(training, steps):
    warmup = round(training.warmup_epochs * steps)
    if training.schedule == "constant" and not warmup:
        return training.learning_rate
    return WarmupDecay(
        training.learning_rate, training.epochs * steps, warmup, training.schedule
    )
