"""Trains FFA on one and on two replicas; prints how far the weights are apart.

A script for a process of its own: logical devices are set before TensorFlow
has started. Run by `test_ffa.py`; prints JSON, case to the largest difference
and to the largest move of a weight.
"""

import json

import keras
import numpy as np
import tensorflow as tf

from keras_slu.data.window_batches import WindowBatches
from keras_slu.layers import SelfAttentiveEmbedder
from keras_slu.models import FFA

CASES = {"R-Drop": {"r_drop": 1.0}, "CRF": {"head": "crf"}}


def train(strategy, settings):
    """Gives the weights before and after two epochs."""
    keras.utils.set_random_seed(1)
    with strategy.scope():
        encoder = SelfAttentiveEmbedder(30, embedding_dim=4, dim=8)
        model = FFA(encoder, ["O", "COMMA"], num_heads=4, dropout=0.0, **settings)
        model.compile(optimizer=keras.optimizers.SGD(0.05))
    before = model.get_weights()
    random = np.random.default_rng(0)
    ids = random.integers(2, 30, 70).astype("int32")
    marks = random.integers(-1, 2, 70).astype("int32")
    batches = WindowBatches(ids, marks, window=8, batch_size=4, seed=4)
    for batches.epoch in range(2):
        model.fit(batches.dataset(), verbose=0)
    return before, model.get_weights()


def largest_difference(some, others):
    pairs = zip(some, others, strict=True)
    return max(float(np.abs(a - b).max()) for a, b in pairs)


if __name__ == "__main__":
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    results = {}
    for name, settings in CASES.items():
        before, alone = train(tf.distribute.get_strategy(), settings)
        _, together = train(mirrored, settings)
        results[name] = (
            largest_difference(alone, together),
            largest_difference(before, alone),
        )
    print(json.dumps(results))
