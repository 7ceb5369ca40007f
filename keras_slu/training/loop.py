"""The part of a training that every task shares."""

import json

import keras
import numpy as np
import tensorflow as tf

import keras_slu
from keras_slu.errors import InputError
from keras_slu.files import atomic_path
from keras_slu.files import write_text
from keras_slu.training.callbacks import Backup
from keras_slu.training.callbacks import DevScores
from keras_slu.training.callbacks import EpochSeeds
from keras_slu.training.callbacks import EpochTime
from keras_slu.training.callbacks import best_epoch
from keras_slu.training.threads import usable_cores


def finished_metrics(run, recipe):
    """The figures of a run that is through, or `None`.

    Raises:
        InputError: when the folder holds another recipe's run.
    """
    if not run.is_finished:
        return None
    run.claim(recipe)  # refuses another recipe's
    run.clean()  # a kill may have come before it
    return run.read_metrics()


def make_strategy(training):
    """The recipe's strategy; `None` for one device."""
    gpus = tf.config.list_logical_devices("GPU")
    if training.strategy == "mirrored" or (
        training.strategy == "auto" and len(gpus) > 1
    ):
        devices = gpus or tf.config.list_logical_devices("CPU")
        return tf.distribute.MirroredStrategy([device.name for device in devices])
    return None


def check_batch_size(training, strategy):
    """Refuses batches that cannot be split between the replicas."""
    replicas = strategy.num_replicas_in_sync if strategy else 1
    if training.batch_size % replicas:
        raise InputError(
            f"batches of {training.batch_size} cannot be split between "
            f"{replicas} replicas",
            f"Make training.batch_size a multiple of {replicas}.",
        )


def seed_everything(seed):
    """Makes all that follows a function of the seed."""
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()


def fit_epochs(model, batches, scorer, run, recipe, selects, boards=(), callbacks=()):
    """Fits from the last finished epoch on and leaves the best weights in the run.

    Args:
        model: compiled model.
        batches: has `dataset()`, a `tf.data.Dataset` of the epoch that its
            attribute `epoch` names.
        scorer: function without arguments that gives the dev figures, a dict
            with `loss` and `selects`.
        run: `Run`.
        recipe: `BaseRecipe`.
        selects: str. The dev figure that is best when it is highest.
        boards: callbacks that see the dev figures before the epoch is backed
            up. Defaults to none.
        callbacks: callbacks that come last. Defaults to none.

    Returns:
        list of dicts, all epochs' logs.
    """
    training = recipe.training
    history = []
    backup = Backup(run.backup, history)
    done = backup.restore(model)
    scores = DevScores(
        scorer,
        run.best_weights,
        history,
        selects,
        patience=training.patience,
        averaged=training.weight_averaging is not None,
    )
    if scores.is_patience_over():
        return history
    model.fit(
        batches.dataset(),
        initial_epoch=done,
        epochs=training.epochs,
        shuffle=False,  # the batches are
        verbose=0,
        callbacks=[
            EpochSeeds(recipe.seed, batches),
            EpochTime(),
            scores,
            *boards,
            backup,
            *callbacks,
        ],
    )
    return history


def save_model(model, run):
    """Saves the model of a run, whole or not at all."""
    with atomic_path(run.model) as temporary:
        model.save(temporary)


def finish_run(run, card, figures):
    """Writes card and figures, which make the run a finished one, and cleans up."""
    write_text(run.card, card)
    write_text(run.metrics, json.dumps(figures, indent=2) + "\n")
    run.clean()


def run_figures(recipe, model, history, selects):
    """What the figures of every run begin with."""
    return {
        "recipe": recipe.name,
        "recipe_hash": recipe.digest(),
        "seed": recipe.seed,
        "parameters": model.count_params(),
        "epochs": best_epoch(history, selects) + 1,
        "epochs_trained": len(history),
        "seconds_per_epoch": round(
            float(np.median([logs["seconds"] for logs in history])), 2
        ),
        "cores": usable_cores(),
        "versions": {
            "keras_slu": keras_slu.__version__,
            "keras": keras.__version__,
            "tensorflow": tf.__version__,
        },
    }
