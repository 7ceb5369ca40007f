"""Trains a translation recipe, from parallel text to a finished run."""

from contextlib import nullcontext

from keras_slu.data.pair_batches import ROWS
from keras_slu.data.pair_batches import PairBatches
from keras_slu.errors import InputError
from keras_slu.evaluation.bleu import bleu
from keras_slu.models.capsule_transformer import CapsuleTransformer
from keras_slu.parsing.translator import Translator
from keras_slu.training.loop import finish_run
from keras_slu.training.loop import finished_metrics
from keras_slu.training.loop import fit_epochs
from keras_slu.training.loop import make_strategy
from keras_slu.training.loop import run_figures
from keras_slu.training.loop import save_model
from keras_slu.training.loop import seed_everything
from keras_slu.training.optimizer import make_optimizer
from keras_slu.training.run import Run
from keras_slu.training.tensorboard import scalar_boards
from keras_slu.training.translation_card import translation_card
from keras_slu.training.translation_prepare import prepare

SELECTS = "bleu"
SHOWN = {"bleu": "BLEU"}
BEAM_SIZE = 4  # of the second score


def train(recipe, folder, run_folder, callbacks=(), strategy=None, profile=False):
    """Trains a recipe, or goes on with it, and leaves a finished run.

    Killed at any moment, the same call goes on from the last finished epoch
    and ends with the weights of an undisturbed training.

    Args:
        recipe: `TranslationRecipe`.
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
    _check_replicas(strategy)
    run.claim(recipe)

    seed_everything(recipe.seed)
    train = prepared.splits["train"]
    batches = PairBatches(
        train.source_ids, train.target_ids, recipe.training.batch_tokens, recipe.seed
    )
    with strategy.scope() if strategy else nullcontext():
        model = CapsuleTransformer(
            len(prepared.pieces),
            max_tokens=recipe.text.max_tokens,
            dtype=recipe.training.precision,
            **recipe.model.arguments(),
        )
        model.pieces = prepared.pieces
        _compile(model, recipe, len(batches))
        scorer = _dev_scorer(model, prepared.splits["dev"])
        boards = scalar_boards(run.tensorboard, profile)
        history = fit_epochs(
            model, batches, scorer, run, recipe, SELECTS, boards, callbacks
        )
    model.load_weights(run.best_weights)
    # A fresh optimizer: the moments of the old one would make up two thirds of
    # the file.
    _compile(model, recipe, len(batches))
    save_model(model, run)
    figures = run_figures(recipe, model, history, SELECTS)
    seconds = figures["seconds_per_epoch"]
    figures["seconds_per_step"] = round(seconds / len(batches), 4)
    figures.update(_scores(model, prepared.splits))
    figures["history"] = history
    finish_run(run, translation_card(recipe, model, figures), figures)
    return figures


def _check_replicas(strategy):
    replicas = strategy.num_replicas_in_sync if strategy else 1
    if ROWS % replicas:
        raise InputError(
            f"batches cannot be split between {replicas} replicas",
            f"Use a number of devices that divides {ROWS}.",
        )


def _compile(model, recipe, steps):
    model.compile(
        optimizer=make_optimizer(recipe.training, steps),
        loss=model.default_loss(),
        jit_compile=False,
    )


def _dev_scorer(model, dev):
    translator = Translator(model)
    tokens = sum(len(ids) + 1 for ids in dev.target_ids)

    def scorer():
        found = translator.translate_ids(dev.source_ids)
        texts = [model.pieces.decode(ids) for ids, _ in found]
        losses = translator.losses(dev.source_ids, dev.target_ids)
        return {
            "loss": float(losses.sum()) / tokens,
            "bleu": bleu(texts, dev.targets)["bleu"] / 100,  # as other figures are
        }

    return scorer


def _scores(model, splits):
    """The scores of dev and test, by greedy and by beam search."""
    held_out = {name: pairs for name, pairs in splits.items() if name != "train"}
    figures = {
        name: {"sentences": len(pairs.targets)} for name, pairs in held_out.items()
    }
    for search, beam_size in (("greedy", 1), (f"beam_{BEAM_SIZE}", BEAM_SIZE)):
        translator = Translator(model, beam_size)
        for name, pairs in held_out.items():
            found = translator.translate(pairs.sources)
            texts = [translation.text for translation in found]
            figures[name][search] = bleu(texts, pairs.targets)
    return figures
