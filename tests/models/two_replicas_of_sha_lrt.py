"""Trains a SHA-LRT on one and on two replicas; prints how far the weights are apart.

A script for a process of its own, run by `test_sha_lrt.py`. It prints JSON, the
largest difference and the largest move of a weight.
"""

import json
from dataclasses import replace

import keras
import numpy as np
import tensorflow as tf
from two_replicas_of_the_models import TAGS
from two_replicas_of_the_models import examples
from two_replicas_of_the_models import largest_difference

from keras_slu.data.batches import TrainingBatches
from keras_slu.models import SHALRT


def with_history(data):
    """Examples of which every third has heard nothing."""
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 8, size=len(data)) * (np.arange(len(data)) % 3 > 0)
    real = np.arange(8)[None] < lengths[:, None]
    ids = np.where(np.arange(8) == 0, -1, rng.integers(2, 30, size=real.shape))
    history = {
        "history_ids": ids,
        "history_results": rng.integers(-1, 2, size=real.shape),
        "history_turns": np.ones_like(ids),
    }
    history = {name: (rows * real).astype("int32") for name, rows in history.items()}
    return replace(data, history=history)


def train(strategy):
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = SHALRT(
            30, ["play", "stop"], TAGS, embedding_dim=4, dim=8, num_heads=2,
            num_layers=2, refine_after=[1], dropout=0.0,
        )  # fmt: skip
        model.compile(keras.optimizers.SGD(0.01), loss=model.default_loss())
    before = model.get_weights()
    batches = TrainingBatches(with_history(examples()), 8, seed=4, teacher=True)
    for batches.epoch in range(3):
        model.fit(batches.dataset(), verbose=0)
    return before, model.get_weights()


if __name__ == "__main__":
    cpu = tf.config.list_physical_devices("CPU")[0]
    two = [tf.config.LogicalDeviceConfiguration()] * 2
    tf.config.set_logical_device_configuration(cpu, two)
    mirrored = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    before, alone = train(tf.distribute.get_strategy())
    _, together = train(mirrored)
    found = largest_difference(alone, together), largest_difference(before, alone)
    print(json.dumps(found))
