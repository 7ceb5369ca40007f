"""Trains a punctuation recipe, from files of marked words to a finished run."""

from contextlib import nullcontext

import numpy as np

from keras_slu.data.window_batches import WindowBatches
from keras_slu.evaluation.mark_scores import mark_scores
from keras_slu.parsing.mark_finder import MarkFinder
from keras_slu.training.loop import check_batch_size
from keras_slu.training.loop import finish_run
from keras_slu.training.loop import finished_metrics
from keras_slu.training.loop import fit_epochs
from keras_slu.training.loop import make_strategy
from keras_slu.training.loop import run_figures
from keras_slu.training.loop import save_model
from keras_slu.training.loop import seed_everything
from keras_slu.training.punctuation_card import punctuation_card
from keras_slu.training.punctuation_prepare import build_model
from keras_slu.training.punctuation_prepare import compile_model
from keras_slu.training.punctuation_prepare import prepare
from keras_slu.training.run import Run
from keras_slu.training.tensorboard import scalar_boards

SELECTS = "f1"
SHOWN = {"f1": "F1", "precision": "precision", "recall": "recall"}


def train(recipe, folder, run_folder, callbacks=(), strategy=None, profile=False):
    """Trains a recipe, or goes on with it, and leaves a finished run.

    Killed at any moment, the same call goes on from the last finished epoch
    and ends with the weights of an undisturbed training.

    Args:
        recipe: `PunctuationRecipe`.
        folder, run_folder, callbacks, strategy, profile: as for
            `keras_slu.training.fit.train`.

    Returns:
        dict, the run's figures, as `metrics.json` holds them.

    Raises:
        InputError: for faulty data or a folder that holds another run, before
            anything is written.
    """
    run = Run(run_folder)
    metrics = finished_metrics(run, recipe)
    if metrics is not None:
        return metrics
    prepared = prepare(recipe, folder)
    strategy = strategy or make_strategy(recipe.training)
    check_batch_size(recipe.training, strategy)
    run.claim(recipe)

    seed_everything(recipe.seed)
    batches = _batches(recipe, prepared)
    with strategy.scope() if strategy else nullcontext():
        model = build_model(recipe, prepared)
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
    finish_run(run, punctuation_card(recipe, model, figures), figures)
    return figures


def _batches(recipe, prepared):
    pieces, training = prepared.pieces["train"], recipe.training
    return WindowBatches(
        pieces.ids,
        pieces.marks,
        recipe.window,
        training.batch_size,
        recipe.seed,
        word_dropout=training.word_dropout,
        counts=prepared.vocabulary.counts,
        unknown_ids=prepared.vocabulary.unknown_ids(),
        noise=recipe.noise,
    )


def _dev_scorer(model, prepared):
    finder = MarkFinder(model)
    pieces = prepared.pieces["dev"]
    ends = pieces.marks >= 0

    def scorer():
        marks, probabilities = finder.find(pieces.ids)
        gold = pieces.marks[ends]
        scores = mark_scores(gold, marks[ends], prepared.marks)
        probability = np.take_along_axis(probabilities[ends], gold[:, None], axis=1)
        loss = -np.log(np.maximum(probability, 1e-9)).mean()
        return {"loss": float(loss), **{name: scores[name] for name in SHOWN}}

    return scorer


def _figures(recipe, prepared, model, history):
    """Everything that a result file holds."""
    figures = run_figures(recipe, model, history, SELECTS)
    finder = MarkFinder(model)
    for split, pieces in prepared.pieces.items():
        if split != "train":
            figures[split] = _split_figures(finder, pieces, prepared.marks)
    figures["history"] = history
    return figures


def _split_figures(finder, pieces, marks):
    """The scores of a split, and those of windows that stand elsewhere."""
    ends = pieces.marks >= 0
    found = finder.find(pieces.ids)[0][ends]
    shifted = finder.find(pieces.ids, finder.core // 2)[0][ends]
    scores = mark_scores(pieces.marks[ends], found, marks)
    scores["shifted_windows"] = {
        "agreement": float(np.mean(found == shifted)),
        "f1": mark_scores(pieces.marks[ends], shifted, marks)["f1"],
    }
    return scores
