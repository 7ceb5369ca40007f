"""Trains on one and on two replicas; prints how far the weights are apart.

A script for a process of its own: logical devices are set before TensorFlow
has started. Run by `test_optimizers.py`; prints JSON, case to difference.
"""

import json

import keras
import numpy as np
import tensorflow as tf

from keras_slu.optimizers import RectifiedAdam

CASES = {
    "plain": dict(learning_rate=0.01),
    "clipped, decayed and averaged": dict(
        learning_rate=0.01,
        global_clipnorm=0.05,
        weight_decay=0.1,
        use_ema=True,
        ema_momentum=0.9,
    ),
    "averaged by rows": dict(learning_rate=0.01, use_ema=True, ema_momentum=0.9),
}


def batches():
    """Batches of different lengths, whose rows repeat."""
    rng = np.random.default_rng(5)
    for time in (6, 6, 9, 12, 5, 6, 7, 6, 9):
        ids = rng.integers(0, 30, size=(8, time)).astype("int32")
        yield ids, rng.normal(size=(8, 1)).astype("float32")


def train(strategy, settings):
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = keras.Sequential(
            [
                keras.Input((None,), dtype="int32"),
                keras.layers.Embedding(50, 4),
                keras.layers.GlobalAveragePooling1D(),
                keras.layers.Dense(3, activation="tanh"),
                keras.layers.Dense(1),
            ]
        )
        model.compile(optimizer=RectifiedAdam(**settings), loss="mse")
    signature = (tf.TensorSpec((8, None), "int32"), tf.TensorSpec((8, 1)))
    dataset = tf.data.Dataset.from_generator(batches, output_signature=signature)
    model.fit(dataset.repeat(2), steps_per_epoch=18, verbose=0)
    return model.get_weights()


if __name__ == "__main__":
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    differences = {}
    for name, settings in CASES.items():
        weights = zip(
            train(tf.distribute.get_strategy(), settings),
            train(mirrored, settings),
            strict=True,
        )
        differences[name] = max(float(np.abs(a - b).max()) for a, b in weights)
    print(json.dumps(differences))
