"""Trains a recipe of skills, from the tasks' files to a finished run."""

from contextlib import nullcontext

import numpy as np

from keras_slu.data.skill_batches import SkillBatches
from keras_slu.evaluation.skill_scores import MAIN
from keras_slu.parsing.skill_answerer import SkillAnswerer
from keras_slu.training.loop import check_batch_size
from keras_slu.training.loop import finish_run
from keras_slu.training.loop import finished_metrics
from keras_slu.training.loop import fit_epochs
from keras_slu.training.loop import make_strategy
from keras_slu.training.loop import run_figures
from keras_slu.training.loop import save_model
from keras_slu.training.loop import seed_everything
from keras_slu.training.run import Run
from keras_slu.training.skill_card import skill_card
from keras_slu.training.skill_prepare import build_model
from keras_slu.training.skill_prepare import compile_model
from keras_slu.training.skill_prepare import prepare
from keras_slu.training.skill_scoring import mean_of
from keras_slu.training.skill_scoring import score_task
from keras_slu.training.tensorboard import scalar_boards

SELECTS = "mean"
SHOWN = {"mean": "mean of tasks"}


def train(recipe, folder, run_folder, callbacks=(), strategy=None, profile=False):
    """Trains a recipe, or goes on with it, and leaves a finished run.

    Killed at any moment, the same call goes on from the last finished epoch
    and ends with the weights of an undisturbed training.

    Args:
        recipe: `SkillRecipe`.
        folder, run_folder, callbacks, strategy, profile: as for
            `keras_slu.training.fit.train`.

    Returns:
        dict, the run's figures, as `metrics.json` holds them.

    Raises:
        InputError: for faulty data, a start that does not fit, or a folder that
            holds another run, before anything is written.
    """
    run = Run(run_folder)
    metrics = finished_metrics(run, recipe)
    if metrics is not None:
        return metrics
    prepared = prepare(recipe, folder)
    strategy = strategy or make_strategy(recipe.training)
    check_batch_size(recipe.training, strategy)
    seed_everything(recipe.seed)
    with strategy.scope() if strategy else nullcontext():
        model = build_model(recipe, prepared)
        run.claim(recipe)  # once the start fits
        batches = _batches(recipe, prepared, model)
        compile_model(model, recipe, len(batches))
        scorer = _dev_scorer(model, prepared)
        boards = scalar_boards(run.tensorboard, profile)
        history = fit_epochs(
            model, batches, scorer, run, recipe, SELECTS, boards, callbacks
        )
    model.load_weights(run.best_weights)
    # A fresh optimizer: the moments of the old one would make up two thirds of
    # the file.
    compile_model(model, recipe, len(batches))
    save_model(model, run)
    figures = _figures(recipe, prepared, model, history)
    finish_run(run, skill_card(recipe, model, figures), figures)
    return figures


def _batches(recipe, prepared, model):
    names = [task.name for task in model.tasks]
    examples = prepared.splits["train"]
    return SkillBatches(
        list(examples.values()),
        recipe.training.batch_size,
        recipe.seed,
        alpha=recipe.sampling,
        places=[names.index(name) for name in examples],
    )


def _dev_scorer(model, prepared):
    answerer = SkillAnswerer(model)

    def scorer():
        figures = _score(answerer, prepared.splits["dev"])
        tasks = [examples.task for examples in prepared.splits["dev"].values()]
        of_tasks = {task.name: figures[task.name][MAIN[task.kind]] for task in tasks}
        losses = [figures[task.name]["loss"] for task in tasks]
        return {"loss": float(np.mean(losses)), "mean": figures["mean"], **of_tasks}

    return scorer


def _score(answerer, split):
    """The figures of each task of a split, and the mean of the main ones."""
    figures = {name: score_task(answerer, of_task) for name, of_task in split.items()}
    tasks = [of_task.task for of_task in split.values()]
    return {"mean": mean_of(figures, tasks), **figures}


def _figures(recipe, prepared, model, history):
    """Everything that a result file holds."""
    figures = run_figures(recipe, model, history, SELECTS)
    train = prepared.splits["train"]
    figures["active_parameters"] = {
        name: model.active_parameters(name) for name in train
    }
    figures["train_examples"] = {name: len(train[name]) for name in train}
    answerer = SkillAnswerer(model)
    for split in ("dev", "test"):
        if prepared.splits[split]:
            figures[split] = _score(answerer, prepared.splits[split])
    figures["history"] = history
    return figures
