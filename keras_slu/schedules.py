"""Learning-rate schedules."""

import math

import keras
from keras import ops

SHAPES = ("constant", "linear", "cosine")


@keras.saving.register_keras_serializable(package="keras_slu")
class WarmupDecay(keras.optimizers.schedules.LearningRateSchedule):
    """Rises linearly from 0, then stays, or falls to 0.

    Args:
        learning_rate: float. The rate at the end of the warm-up.
        total_steps: int. Steps in all; the rate is 0 there if it falls.
        warmup_steps: int. Defaults to `0`.
        shape: str. `"constant"`, `"linear"` or `"cosine"`. Defaults to
            `"linear"`.

    Example:

    >>> schedule = WarmupDecay(0.1, total_steps=30, warmup_steps=10)
    >>> [round(float(schedule(step)), 4) for step in (0, 5, 10, 20, 30)]
    [0.0, 0.05, 0.1, 0.05, 0.0]
    """

    def __init__(self, learning_rate, total_steps, warmup_steps=0, shape="linear"):
        super().__init__()
        if shape not in SHAPES:
            raise ValueError(f"`shape` must be one of {SHAPES}. Received: {shape!r}")
        self.learning_rate = learning_rate
        self.total_steps = total_steps
        self.warmup_steps = warmup_steps
        self.shape = shape

    def __call__(self, step):
        step = ops.cast(step, "float32")
        rise = step / max(self.warmup_steps, 1)
        falling = max(self.total_steps - self.warmup_steps, 1)
        done = ops.clip((step - self.warmup_steps) / falling, 0.0, 1.0)
        fall = {
            "constant": ops.ones_like(done),
            "linear": 1.0 - done,
            "cosine": 0.5 + 0.5 * ops.cos(done * math.pi),
        }[self.shape]
        return self.learning_rate * ops.where(step < self.warmup_steps, rise, fall)

    def get_config(self):
        return {
            "learning_rate": self.learning_rate,
            "total_steps": self.total_steps,
            "warmup_steps": self.warmup_steps,
            "shape": self.shape,
        }
