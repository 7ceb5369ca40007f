"""Trains SkillNet on one and on two replicas; prints how far the weights are apart.

A script for a process of its own: logical devices are set before TensorFlow
has started. Run by `test_skillnet.py`; prints JSON, the largest difference, the
largest move of a weight, and that of a weight that no task uses.
"""

import json
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parents[1]))
import skills  # noqa: E402

ORDER = ["mood", "names", "reading", "pieces", "mood", "nearest", "names"]


def batches():
    weights = np.array([1.0, 1.0, 1.0, 0.0], "float32")  # the last row fills up
    for name in ORDER:
        yield (*skills.batch(name), weights)


def dataset():
    specs = tf.nest.map_structure(
        lambda array: tf.TensorSpec([None] * array.ndim, array.dtype), next(batches())
    )
    return tf.data.Dataset.from_generator(batches, output_signature=specs)


def train(strategy):
    """Gives the weights before and after two epochs, and the move of an idle skill."""
    with strategy.scope():
        model = skills.make()
        model.compile(optimizer=keras.optimizers.SGD(0.05, weight_decay=0.01))
    idle = [layer.feed_forward.network("s4") for layer in model.encoder.layers]
    idle_before = [weight for layer in idle for weight in layer.get_weights()]
    before = model.get_weights()
    model.fit(dataset(), epochs=2, verbose=0, shuffle=False)
    idle_after = [weight for layer in idle for weight in layer.get_weights()]
    return before, model.get_weights(), largest_difference(idle_before, idle_after)


def largest_difference(some, others):
    pairs = zip(some, others, strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs)


if __name__ == "__main__":
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    before, alone, _ = train(tf.distribute.get_strategy())
    _, together, idle = train(mirrored)
    apart = largest_difference(alone, together)
    print(json.dumps([apart, largest_difference(before, alone), idle]))
