"""What the joint models cost on SNIPS: training and prediction, in one run.

    python benchmarks/joint_models.py [MODEL ...] [--threads N]

Each model is that of its recipe, with fresh weights. Training: utterances a
second over the steps of an epoch of `fit` on the first utterances, after one
in which the graph is made and warms up. Prediction: milliseconds from token
ids to tags, confidences and intents, without the tokenizer. At batch 1 the
median and the 95th percentile over test utterances, at batch 32 the mean.
"""

import argparse
import time
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from keras_slu.data.batches import TrainingBatches
from keras_slu.data.encoding import Examples
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import prepare
from keras_slu.training.recipe import load_recipe
from keras_slu.training.threads import usable_cores

RECIPES = Path(__file__).resolve().parents[1] / "training" / "recipes"
MODELS = (
    "bilstm",
    "han-first-order",
    "han",
    "co-interactive",
    "co-interactive-hae",
    "stack-propagation",
    "stack-propagation-hae",
    "slot-refine",
)
TRAINED = 1600  # utterances, of which batches of the recipe's size are made
PARSED = 700  # test utterances, all that SNIPS has
COLUMNS = ("model", "parameters", "trained/s", "ms, 1", "p95, 1", "ms, 32")


class EpochSeconds(keras.callbacks.Callback):
    """The seconds of the latest epoch's steps."""

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        self.seconds = time.perf_counter() - self.start


def training_rate(model, recipe, prepared):
    """Utterances a second."""
    arrays = vars(prepared.examples["train"])
    part = Examples(**keras.tree.map_structure(lambda a: a[:TRAINED], arrays))
    batches = TrainingBatches(
        part, recipe.training.batch_size, recipe.seed, teacher=model.is_taught
    )
    timer = EpochSeconds()
    model.fit(batches.dataset(), epochs=2, verbose=0, callbacks=[timer])
    return len(part) / timer.seconds


def predictor(model):
    """A compiled function from token ids to answers."""

    @tf.function(input_signature=[tf.TensorSpec((None, None), tf.int32)])
    def predict(token_ids):
        inputs = {"token_ids": token_ids}
        outputs = model(inputs, training=False)
        return model.decode(outputs, model.padding_mask(inputs))

    return predict


def milliseconds(predict, examples, size):
    """Milliseconds of each batch of `size` utterances."""
    times = []
    for start in range(0, min(PARSED, len(examples)) - size + 1, size):
        rows = slice(start, start + size)
        ids = tf.constant(examples.token_ids[rows, : examples.lengths[rows].max()])
        begun = time.perf_counter()
        predict(ids)["tags"].numpy()
        times.append(1e3 * (time.perf_counter() - begun))
    return np.array(times)


def measure(name, recipe, prepared):
    """The cells of a model's row."""
    keras.utils.clear_session()
    model = build_model(recipe, prepared)
    rate = training_rate(model, recipe, prepared)
    predict = predictor(model)
    examples = prepared.examples["test"]
    for size in (32, 1):  # the graph is made, and buffers are
        milliseconds(predict, examples, size)
    one, many = (milliseconds(predict, examples, size) for size in (1, 32))
    return (
        name,
        f"{model.count_params():,}",
        f"{rate:.0f}",
        f"{np.median(one):.2f}",
        f"{np.percentile(one, 95):.2f}",
        f"{many.mean() / 32:.2f}",
    )


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    arguments.add_argument("--threads", type=int, default=0, help="0: all cores")
    chosen = arguments.parse_args()
    tf.config.threading.set_intra_op_parallelism_threads(chosen.threads)
    recipes = {
        name: load_recipe(RECIPES / f"{name}-snips.yaml") for name in chosen.models
    }
    recipe, folder = next(iter(recipes.values()))
    if not (folder / recipe.data.train).exists():
        print(f"skipped: needs {recipe.data.train}, beside the recipe's folder")
        return
    prepared = prepare(recipe, folder)  # one vocabulary for all, so that they compare
    print(
        f"SNIPS, {usable_cores()} cores, {chosen.threads or 'all'} threads, "
        f"batches of {recipe.training.batch_size} in training"
    )
    print("| " + " | ".join(COLUMNS) + " |\n" + "|---" * len(COLUMNS) + "|")
    for name, (recipe, _) in recipes.items():
        print("| " + " | ".join(measure(name, recipe, prepared)) + " |", flush=True)


if __name__ == "__main__":
    main()
