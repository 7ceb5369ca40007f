"""From a recipe's training settings to an optimizer."""

from keras_slu.optimizers import RectifiedAdam
from keras_slu.schedules import WarmupDecay


def make_optimizer(training, steps):
    """A recipe's optimizer, for epochs of so many steps."""
    averaging = training.weight_averaging
    return RectifiedAdam(
        _schedule(training, steps),
        rectify=training.optimizer == "radam",
        weight_decay=training.weight_decay or None,  # None spares a pass
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
