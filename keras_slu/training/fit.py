"""Trains a recipe: `model.fit` from a data file to a finished run."""

import json
import os
from contextlib import nullcontext

import keras
import numpy as np
import tensorflow as tf

import keras_slu
from keras_slu.data.batches import TrainingBatches
from keras_slu.data.encoding import intent_set
from keras_slu.errors import InputError
from keras_slu.evaluation import Labels
from keras_slu.evaluation import score
from keras_slu.files import atomic_path
from keras_slu.files import write_text
from keras_slu.parsing.answers import Answerer
from keras_slu.parsing.parser import Parser
from keras_slu.parsing.parser import tag_names
from keras_slu.parsing.scoring import gold_labels
from keras_slu.parsing.scoring import score_parser
from keras_slu.training.callbacks import Backup
from keras_slu.training.callbacks import DevScores
from keras_slu.training.callbacks import EpochSeeds
from keras_slu.training.callbacks import EpochTime
from keras_slu.training.callbacks import best_epoch
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import prepare
from keras_slu.training.run import Run


def train(recipe, folder, run_folder, callbacks=(), strategy=None):
    """Trains a recipe, or goes on with it, and leaves a finished run.

    Killed at any moment, the same call goes on from the last finished epoch
    and ends with the weights of an undisturbed training.

    Args:
        recipe: `Recipe`.
        folder: path that the recipe's paths are relative to.
        run_folder: path of the run's folder.
        callbacks: more Keras callbacks, called last. Defaults to none.
        strategy: `tf.distribute.Strategy`. Defaults to `None`, what the
            recipe says.

    Returns:
        dict, the run's figures, as `metrics.json` holds them.

    Raises:
        InputError: for faulty data or a folder that holds another run, before
            anything is written.
    """
    run = Run(run_folder)
    if run.is_finished:
        run.claim(recipe)  # refuses another recipe's
        run.clean()  # a kill may have come before it
        return run.read_metrics()
    prepared = prepare(recipe, folder)
    strategy = strategy or make_strategy(recipe.training)
    replicas = strategy.num_replicas_in_sync if strategy else 1
    if recipe.training.batch_size % replicas:
        raise InputError(
            f"batches of {recipe.training.batch_size} cannot be split between "
            f"{replicas} replicas",
            f"Make training.batch_size a multiple of {replicas}.",
        )
    run.claim(recipe)

    keras.utils.set_random_seed(recipe.seed)
    tf.config.experimental.enable_op_determinism()
    with strategy.scope() if strategy else nullcontext():
        model = build_model(recipe, prepared)
        history = _fit(model, recipe, prepared, run, callbacks)
    model.load_weights(run.best_weights)
    # The scores are those of the file that people will use.
    with atomic_path(run.model) as temporary:
        model.save(temporary)
    figures = _figures(recipe, prepared, model, history)
    write_text(run.metrics, json.dumps(figures, indent=2) + "\n")
    run.clean()
    return figures


def make_strategy(training):
    """The recipe's strategy; `None` for one device."""
    gpus = tf.config.list_logical_devices("GPU")
    if training.strategy == "mirrored" or (
        training.strategy == "auto" and len(gpus) > 1
    ):
        devices = gpus or tf.config.list_logical_devices("CPU")
        return tf.distribute.MirroredStrategy([device.name for device in devices])
    return None


def _fit(model, recipe, prepared, run, callbacks):
    """Fits from the last finished epoch on; gives all epochs' logs."""
    training = recipe.training
    batches = TrainingBatches(
        prepared.examples["train"],
        training.batch_size,
        recipe.seed,
        word_dropout=training.word_dropout,
        counts=prepared.vocabulary.counts,
    )
    history = []
    backup = Backup(run.backup, history)
    done = backup.restore(model)
    scores = DevScores(
        _dev_scorer(model, prepared),
        run.best_weights,
        history,
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
            keras.callbacks.TensorBoard(
                run.tensorboard, write_graph=False, profile_batch=0
            ),
            backup,
            *callbacks,
        ],
    )
    return history


def _dev_scorer(model, prepared):
    answerer = Answerer(model)
    gold = gold_labels(prepared.utterances["dev"], prepared.tokenizer)
    classes = [intent_set(name) for name in model.intents]

    def scorer():
        answers = answerer.answers_and_losses(prepared.examples["dev"])
        predicted = [
            Labels(
                tag_names(answer["tags"], model.tags, len(labels.tags)),
                classes[int(answer["intent_probabilities"].argmax())],
            )
            for answer, labels in zip(answers, gold, strict=True)
        ]
        losses = [answer["loss"] for answer in answers]
        return score(gold, predicted), float(np.mean(losses))

    return scorer


def _figures(recipe, prepared, model, history):
    """Everything that a result file holds."""
    best = best_epoch(history)
    parser = Parser(model)
    figures = {
        "recipe": recipe.name,
        "recipe_hash": recipe.digest(),
        "seed": recipe.seed,
        "parameters": model.count_params(),
        "epochs": best + 1,
        "epochs_trained": len(history),
        "seconds_per_epoch": round(
            float(np.median([logs["seconds"] for logs in history])), 2
        ),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "versions": {
            "keras_slu": keras_slu.__version__,
            "keras": keras.__version__,
            "tensorflow": tf.__version__,
        },
    }
    for split in ("dev", "test"):
        if split not in prepared.utterances:
            continue
        scores = score_parser(parser, prepared.utterances[split])
        figures[split] = scores["gold_tokens"].to_dict()
        figures[f"{split}_raw_text"] = scores["raw_text"].to_dict()
    figures["history"] = history
    return figures
