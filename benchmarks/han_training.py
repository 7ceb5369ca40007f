"""How fast HAN trains on SNIPS: utterances a second, and against arithmetic.

    python benchmarks/han_training.py [RECIPE]

Times the steps of two epochs of `fit` on real batches; those of the first, in
which the graph is made and warms up, do not count. The arithmetic counts the
multiplications and additions of matrix products alone, three times the forward
ones; the matrix rate is measured here.
"""

import sys
import time
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

from keras_slu.data.batches import TrainingBatches
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import prepare
from keras_slu.training.recipe import load_recipe
from keras_slu.training.threads import spare_threads

ROOT = Path(__file__).resolve().parents[1]


class StepTimes(keras.callbacks.Callback):
    """Seconds and CPU seconds of each step."""

    def __init__(self):
        super().__init__()
        self.wall, self.cpu = [], []

    def on_train_batch_begin(self, batch, logs=None):
        self.start = time.perf_counter(), time.process_time()

    def on_train_batch_end(self, batch, logs=None):
        self.wall.append(time.perf_counter() - self.start[0])
        self.cpu.append(time.process_time() - self.start[1])


def matrix_rate(size=1024, repeats=20):
    """Floating-point operations a second of one large matrix product."""
    a = tf.random.normal((size, size))
    product = tf.function(lambda: tf.matmul(a, a))
    product()
    start = time.perf_counter()
    for _ in range(repeats):
        product().numpy()
    return repeats * 2 * size**3 / (time.perf_counter() - start)


def step_operations(model, settings, batch, time_steps):
    """Operations of the matrix products of a step, forward and backward."""
    tokens = batch * time_steps
    d, e = settings.dim, settings.embedding_dim
    tags, intents = len(model.tags), len(model.intents)
    lstm = tokens * 2 * 4 * (d // 2) * (e + d // 2)
    labels = tokens * 2 * d * (tags + intents)
    pairs = 2 * settings.num_layers * tokens * time_steps * d * (d + 1)
    projections = 2 * settings.num_layers * tokens * d * d * (3 + 2 + 2 + 1)
    fusion = tokens * d * d * (2 * 2 + 6 + 1)
    heads = tokens * d * tags + tokens * 2 * (tags + 1) ** 2
    return 3 * 2 * (lstm + labels + pairs + projections + fusion + heads)


def main():
    default = ROOT / "training" / "recipes" / "han-snips.yaml"
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    recipe, folder = load_recipe(path)
    spare_threads(recipe)  # as `keras-slu train` does
    if not (folder / recipe.data.train).exists():
        print(f"skipped: needs {recipe.data.train}, beside the recipe's folder")
        return
    prepared = prepare(recipe, folder)
    model = build_model(recipe, prepared)
    size = recipe.training.batch_size
    batches = TrainingBatches(
        prepared.examples["train"],
        size,
        recipe.seed,
        recipe.training.word_dropout,
        prepared.vocabulary.counts,
    )
    timer = StepTimes()
    start = time.perf_counter()
    model.fit(batches.dataset(), epochs=2, verbose=0, callbacks=[timer])
    seconds = time.perf_counter() - start
    steps = len(batches)
    wall, cpu = np.array(timer.wall[steps:]), np.array(timer.cpu[steps:])
    print(f"two epochs in {seconds:.1f} s, the making of the graph included")
    utterances = len(prepared.examples["train"])
    times = [x["token_ids"].shape[1] for x, _, _ in batches.batches(0)]
    operations = sum(step_operations(model, recipe.model, size, t) for t in times)
    rate = matrix_rate()
    print(f"recipe {recipe.name} ({recipe.digest()}), batches of {size}")
    print(
        f"{1e3 * np.median(wall):.1f} ms a step (median; mean "
        f"{1e3 * wall.mean():.1f}), {1e3 * np.median(cpu):.1f} ms CPU"
    )
    print(
        f"{utterances / wall.sum():.0f} utterances a second over the epoch, "
        f"{size / np.median(wall):.0f} at the median step"
    )
    print(f"{np.mean(times):.1f} tokens a row, mean over batches, padding included")
    print(
        f"arithmetic: {operations / steps / 1e9:.2f} GFLOP a step, "
        f"{1e3 * operations / steps / rate:.1f} ms at the {rate / 1e9:.0f} GFLOP/s "
        f"of a matrix product here: {operations / rate / wall.sum():.0%} of the time"
    )


if __name__ == "__main__":
    main()
