"""Callbacks of a training that can be killed and goes on as if it had not."""

import json
import time
from contextlib import contextmanager
from pathlib import Path

import keras
import numpy as np

from keras_slu.files import atomic_path
from keras_slu.files import write_text


class EpochSeeds(keras.callbacks.Callback):
    """Derives each epoch's randomness from `(seed, epoch)`.

    Keras saves no dropout generator with the weights; set anew each epoch, a
    resumed run draws what an undisturbed one does.

    Args:
        seed: int.
        batches: `TrainingBatches`.
    """

    def __init__(self, seed, batches):
        super().__init__()
        self.seed = seed
        self.batches = batches

    def on_epoch_begin(self, epoch, logs=None):
        self.batches.epoch = epoch
        generators = [v for v in self.model.variables if "seed_generator" in v.path]
        for place, state in enumerate(generators):
            seed = np.random.SeedSequence([self.seed, epoch, place])
            state.assign(seed.generate_state(2, np.uint32).astype(state.dtype))


class EpochTime(keras.callbacks.Callback):
    """Adds `seconds`, an epoch's training time without scoring, to the logs."""

    def on_epoch_begin(self, epoch, logs=None):
        self.start = time.perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        logs["seconds"] = time.perf_counter() - self.start


class DevScores(keras.callbacks.Callback):
    """Scores dev at the end of each epoch and keeps the best weights.

    It adds the dev figures to the logs, `val_` before each name, for the
    callbacks after it. The best epoch is that of the highest `selects`; of
    equal ones, of the lower loss.

    Args:
        scorer: function without arguments that gives the dev figures, a dict
            of floats with `loss` and `selects`.
        best_path: path of the `.weights.h5` file of the best epoch.
        history: list of dicts, the logs of the epochs so far; this callback
            appends to it.
        selects: str. The figure that is best when it is highest.
        patience: int or `None`. Epochs without a better one before training
            stops.
        averaged: bool. Whether to score and keep the optimizer's average of
            the weights.
    """

    def __init__(
        self, scorer, best_path, history, selects, patience=None, averaged=False
    ):
        super().__init__()
        self.scorer = scorer
        self.best_path = Path(best_path)
        self.history = history
        self.selects = selects
        self.patience = patience
        self.averaged = averaged

    def on_epoch_end(self, epoch, logs=None):
        with self._scored_weights():
            logs.update({f"val_{k}": v for k, v in self.scorer().items()})
            self.history.append({name: float(value) for name, value in logs.items()})
            if best_epoch(self.history, self.selects) == epoch:
                save_weights(self.model, self.best_path)
        if self.is_patience_over():
            self.model.stop_training = True

    def is_patience_over(self):
        """Whether the best epoch is `patience` epochs ago."""
        if not self.patience or not self.history:
            return False
        best = best_epoch(self.history, self.selects)
        return len(self.history) - 1 - best >= self.patience

    @contextmanager
    def _scored_weights(self):
        if not self.averaged:
            yield
            return
        weights = self.model.get_weights()
        self.model.optimizer.finalize_variable_values(self.model.trainable_variables)
        try:
            yield
        finally:
            self.model.set_weights(weights)


class Backup(keras.callbacks.Callback):
    """Saves after each epoch what it takes to go on, whole or not at all.

    `keras.callbacks.BackupAndRestore` writes its two files in place, so that
    a kill between them leaves weights and epoch that do not fit. Here the
    state names its weights file and is replaced last.

    Args:
        folder: path of the backup folder.
        history: list of dicts, shared with `DevScores`.
    """

    def __init__(self, folder, history):
        super().__init__()
        self.folder = Path(folder)
        self.state_path = self.folder / "state.json"
        self.history = history

    def restore(self, model):
        """Brings back weights, optimizer and history.

        Returns:
            int, the number of epochs that are done.
        """
        if not self.state_path.exists():
            return 0
        state = json.loads(self.state_path.read_text(encoding="utf-8"))
        model.optimizer.build(model.trainable_variables)
        model.load_weights(self.folder / state["weights"])
        self.history[:] = state["history"]
        return len(self.history)

    def on_epoch_end(self, epoch, logs=None):
        weights = self.folder / f"epoch-{epoch:04d}.weights.h5"
        save_weights(self.model, weights)
        state = {"weights": weights.name, "history": self.history}
        write_text(self.state_path, json.dumps(state))
        for old in self.folder.glob("epoch-*.weights.h5"):
            if old != weights:
                old.unlink()


def best_epoch(history, selects):
    """The epoch with the highest dev figure; of equal ones, of the lower loss."""
    ranks = [(logs[f"val_{selects}"], -logs["val_loss"]) for logs in history]
    return ranks.index(max(ranks))


def save_weights(model, path):
    """Saves weights and optimizer to `path`, atomically."""
    with atomic_path(path) as temporary:
        temporary.unlink()  # Keras asks before it overwrites
        model.save_weights(temporary)
