"""Trains a translator on one and on two replicas; prints how far they are apart.

A script for a process of its own: logical devices are set before TensorFlow
has started. Run by `test_capsule_transformer.py`; prints JSON, the largest
difference of weights and the largest move of a weight.
"""

import json

import keras
import numpy as np
import tensorflow as tf
from two_replicas_of_the_models import largest_difference

from keras_slu.data.pair_batches import PairBatches
from keras_slu.models import CapsuleTransformer

rng = np.random.default_rng(0)
SOURCES = [rng.integers(3, 20, rng.integers(2, 9)).tolist() for _ in range(27)]
TARGETS = [rng.integers(4, 20, rng.integers(1, 9)).tolist() for _ in SOURCES]


def train(strategy):
    """Gives the weights before and after two epochs."""
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = CapsuleTransformer(
            20,
            dim=16,
            num_heads=4,
            inner_dim=16,
            num_layers=1,
            routing="em",
            cross_capsules=[1],
            dropout=0.0,
        )
        model.compile(keras.optimizers.SGD(0.3), loss=model.default_loss())
    before = model.get_weights()
    batches = PairBatches(SOURCES, TARGETS, batch_tokens=64, seed=4)
    for batches.epoch in range(2):
        model.fit(batches.dataset(), verbose=0)
    return before, model.get_weights()


if __name__ == "__main__":
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    before, alone = train(tf.distribute.get_strategy())
    _, together = train(mirrored)
    print(
        json.dumps(
            [largest_difference(alone, together), largest_difference(before, alone)]
        )
    )
