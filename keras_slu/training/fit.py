"""Trains a recipe: `model.fit` from a data file to a finished run."""

from contextlib import nullcontext

import numpy as np

from keras_slu.data.batches import TrainingBatches
from keras_slu.data.dialogue import dialogues_of
from keras_slu.data.slot_exchange import SlotExchange
from keras_slu.evaluation import Labels
from keras_slu.evaluation import score
from keras_slu.parsing.answers import Answerer
from keras_slu.parsing.dialogue_answers import answer_dialogues
from keras_slu.parsing.dialogue_answers import model_prompts
from keras_slu.parsing.frames import FrameMaker
from keras_slu.parsing.parser import make_parser
from keras_slu.parsing.scoring import dialogue_figures
from keras_slu.parsing.scoring import gold_labels
from keras_slu.parsing.scoring import score_parser
from keras_slu.training.calibrate import calibrate
from keras_slu.training.card import model_card
from keras_slu.training.growing import grow
from keras_slu.training.growing import keep_learned
from keras_slu.training.growing import load_start
from keras_slu.training.loop import check_batch_size
from keras_slu.training.loop import finish_run
from keras_slu.training.loop import finished_metrics
from keras_slu.training.loop import fit_epochs
from keras_slu.training.loop import make_strategy
from keras_slu.training.loop import run_figures
from keras_slu.training.loop import save_model
from keras_slu.training.loop import seed_everything
from keras_slu.training.paths import resolve
from keras_slu.training.prepare import build_model
from keras_slu.training.prepare import compile_model
from keras_slu.training.prepare import prepare
from keras_slu.training.projector import write_projector
from keras_slu.training.run import Run
from keras_slu.training.tensorboard import tensorboard_callbacks

SELECTS = "overall_accuracy"


def train(recipe, folder, run_folder, callbacks=(), strategy=None, profile=False):
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
        profile: bool. Whether TensorBoard gets a profile of ten batches.
            Defaults to `False`.

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
    prepared, learned = _prepare(recipe, folder)
    strategy = strategy or make_strategy(recipe.training)
    check_batch_size(recipe.training, strategy)
    run.claim(recipe)

    seed_everything(recipe.seed)
    with strategy.scope() if strategy else nullcontext():
        model = build_model(recipe, prepared)
        if learned is not None:
            keep_learned(model, learned)
        history = _fit(model, recipe, prepared, run, callbacks, profile)
    model.load_weights(run.best_weights)
    if prepared.encoder is None:
        write_projector(run.tensorboard, model.encoder.embedding, prepared.vocabulary)
    held_out = {n: split for n, split in prepared.utterances.items() if n != "train"}
    calibration = calibrate(model, held_out)
    # A fresh optimizer: the moments of the old one would make up two thirds of
    # the file.
    compile_model(model, recipe, prepared)
    # The scores are those of the file that people will use.
    save_model(model, run)
    figures = _figures(recipe, prepared, model, history)
    figures["calibration"] = calibration
    finish_run(run, model_card(recipe, model, figures), figures)
    return figures


def _prepare(recipe, folder):
    """A recipe's data, and the model that it goes on from or `None`."""
    if recipe.start is None:
        return prepare(recipe, folder), None
    learned, settled = load_start(resolve(recipe.start, folder), recipe)
    prepared = grow(prepare(settled, folder), learned, recipe.text.max_tokens)
    return prepared, learned


def _fit(model, recipe, prepared, run, callbacks, profile):
    """Fits from the last finished epoch on; gives all epochs' logs."""
    training = recipe.training
    batches = TrainingBatches(
        prepared.examples["train"],
        training.batch_size,
        recipe.seed,
        word_dropout=training.word_dropout,
        counts=prepared.vocabulary.counts,
        unknown_ids=prepared.vocabulary.unknown_ids(),
        exchange=_slot_exchange(recipe, prepared),
        exchange_rate=training.slot_exchange,
        teacher=model.is_taught,
        pack=prepared.vocabulary.pack,
    )
    predicted = []  # on dev, anew after each epoch
    boards = tensorboard_callbacks(
        run.tensorboard, recipe, prepared, batches, predicted, profile
    )
    scorer = _dev_scorer(model, prepared, predicted)
    return fit_epochs(model, batches, scorer, run, recipe, SELECTS, boards, callbacks)


def _slot_exchange(recipe, prepared):
    if not recipe.training.slot_exchange:
        return None
    return SlotExchange(
        prepared.examples["train"], prepared.labels.tags, recipe.text.max_tokens
    )


def _dev_scorer(model, prepared, predicted):
    answerer = Answerer(model)
    gold = gold_labels(prepared.utterances["dev"], prepared.tokenizer)
    maker = FrameMaker(model.intents, model.tags)
    examples, utterances = prepared.examples["dev"], prepared.utterances["dev"]
    rows = examples.rows()
    dialogues = dialogues_of(utterances)
    prompts = model_prompts(model, utterances)

    def scorer():
        answers = answerer.answers_and_losses(examples)
        losses = [answer["loss"] for answer in answers]
        if model.max_history:  # the losses are over the gold history
            answers = answer_dialogues(answerer, dialogues, rows, prompts)
        named = [
            maker.named(answer, len(labels.tags))
            for answer, labels in zip(answers, gold, strict=True)
        ]
        predicted[:] = [Labels(answer["tags"], answer["intents"]) for answer in named]
        scores = score(gold, predicted)
        return {
            "loss": float(np.mean(losses)),
            "overall_accuracy": scores.overall_accuracy,
            "intent_accuracy": scores.intent_accuracy,
            "slot_f1": scores.slot_f1,
        }

    return scorer


def _figures(recipe, prepared, model, history):
    """Everything that a result file holds."""
    parser = make_parser(model)
    figures = run_figures(recipe, model, history, SELECTS)
    if prepared.left_out:
        figures["left_out"] = prepared.left_out
    for split in ("dev", "test"):
        if split not in prepared.utterances:
            continue
        scores = score_parser(parser, prepared.utterances[split])
        figures[split] = scores["gold_tokens"].to_dict()
        figures[f"{split}_raw_text"] = scores["raw_text"].to_dict()
        more = dialogue_figures(parser, prepared.utterances[split])
        figures |= {f"{split}_{name}": value for name, value in more.items()}
    figures["history"] = history
    return figures
