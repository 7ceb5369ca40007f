"""Trains models on one and on two replicas; prints how far the weights are apart.

A script for a process of its own: logical devices are set before TensorFlow
has started. Run by `test_joint.py`; prints JSON, case to the largest
difference and to the largest move of a weight.
"""

import json

import keras
import numpy as np
import tensorflow as tf

from keras_slu.data.batches import TrainingBatches
from keras_slu.data.encoding import Examples
from keras_slu.models import HAN
from keras_slu.models import CRFTagger
from keras_slu.optimizers import RectifiedAdam

TAGS = ["O", "B-a", "I-a"]


def examples():
    """18 utterances of 1 to 9 tokens: two batches of 8 and one of 2."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 10, size=18).astype("int32")
    real = np.arange(9)[None] < lengths[:, None]
    token_ids = rng.integers(2, 30, size=(18, 9))
    slots = rng.choice([0, 1], size=(18, 9))
    return Examples(
        token_ids=np.where(real, token_ids, 0).astype("int32"),
        slots=np.where(real, slots, -1).astype("int32"),
        intent=rng.integers(2, size=18).astype("int32"),
        lengths=lengths,
        truncated=np.zeros(18, bool),
    )


def han(optimizer, **switches):
    model = HAN(30, ["play", "stop"], TAGS, embedding_dim=4, dim=8, **switches)
    model.compile(optimizer=optimizer, loss=model.default_loss())
    return model


def tagger(optimizer):
    token_ids = keras.Input((None,), dtype="int32", name="token_ids")
    hidden = keras.layers.Embedding(30, 4, mask_zero=True)(token_ids)
    hidden = keras.layers.Dense(3)(hidden)
    model = CRFTagger({"token_ids": token_ids}, hidden, tags=TAGS)
    model.compile(optimizer=optimizer)
    return model


CASES = {
    "HAN, RectifiedAdam": lambda: han(RectifiedAdam(0.01), num_layers=1),
    "BiLSTM, SGD": lambda: han(keras.optimizers.SGD(0.05), interaction=False),
    "CRFTagger, SGD": lambda: tagger(keras.optimizers.SGD(0.05)),
}


def train(strategy, make):
    """Gives the weights before and after three epochs."""
    keras.utils.set_random_seed(1)
    with strategy.scope():
        model = make()
    before = model.get_weights()
    data = examples()
    counts = np.bincount(data.token_ids[data.token_ids > 0], minlength=30)
    batches = TrainingBatches(data, 8, seed=4, word_dropout=0.5, counts=counts)
    for batches.epoch in range(3):
        dataset = batches.dataset()
        if isinstance(model, CRFTagger):
            dataset = dataset.map(lambda x, y, weight: (x, y["slots"], weight))
        model.fit(dataset, verbose=0)
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
    for name, make in CASES.items():
        before, alone = train(tf.distribute.get_strategy(), make)
        _, together = train(mirrored, make)
        results[name] = (
            largest_difference(alone, together),
            largest_difference(before, alone),
        )
    print(json.dumps(results))
