"""Fits a model's calibration on utterances that training has not seen."""

import json
from dataclasses import dataclass

import numpy as np

from keras_slu.data.encoding import LabelSet
from keras_slu.data.tags import chunks
from keras_slu.errors import InputError
from keras_slu.evaluation.calibration import auroc
from keras_slu.evaluation.calibration import best_and_margin
from keras_slu.evaluation.calibration import brier
from keras_slu.evaluation.calibration import ece
from keras_slu.evaluation.calibration import fit_temperature
from keras_slu.evaluation.calibration import fpr_at_recall
from keras_slu.evaluation.calibration import share_unknown
from keras_slu.evaluation.calibration import temper
from keras_slu.evaluation.calibration import unknown_thresholds
from keras_slu.evaluation.intent_calibration import fit_intents
from keras_slu.evaluation.intent_calibration import no_and_yes
from keras_slu.files import atomic_path
from keras_slu.files import write_text
from keras_slu.parsing.parser import load_joint_parser
from keras_slu.parsing.parser import make_parser
from keras_slu.parsing.scoring import gold_labels
from keras_slu.training.run import Run

IDENTITY = (1.0, 1.0, 0.0, 0.0)
IDENTITY_OF_SETS = (*IDENTITY, 0.5)


@dataclass(frozen=True)
class Observed:
    """What a model answers before it is calibrated, and what is right.

    Args:
        probabilities: float `(utterances, classes)`.
        labels: int, as `LabelSet.intent_labels` gives them.
        spans: float `(spans, 2)`, of each predicted slot the probability of
            being wrong, and of being right.
        spans_right: int `(spans,)`.
    """

    probabilities: np.ndarray
    labels: np.ndarray
    spans: np.ndarray
    spans_right: np.ndarray


def calibrate(model, splits, unknown=()):
    """Fits `model.calibration` on dev and tells what it is worth.

    The temperatures are those that make the labels most likely; for the
    threshold of a set of intents see `active_threshold`, for what is called
    unknown `unknown_thresholds`. Nothing else of the model changes.

    Args:
        model: `JointSLU` with tokenizer and vocabulary.
        splits: dict of lists of `Utterance`, labelled, that were held out:
            `dev`, to fit on, and others, to measure the outcome on.
        unknown: list of `Utterance` that are out of scope. Defaults to none.

    Returns:
        dict: the numbers; for each split the expected calibration error
        and the Brier score of `intent` and of `slot`, before and after, and
        the shares `called_unknown` and `right_called_unknown`; with `unknown`
        ones, `unknown` with what `unknown_figures` gives.
    """
    parser = make_parser(model)
    is_set = model.intent_head == "sigmoid"
    model.calibration.set_weights(np.array(IDENTITY_OF_SETS if is_set else IDENTITY))
    observed = {name: observe(parser, split) for name, split in splits.items()}
    outside = class_probabilities(parser, unknown) if unknown else None

    dev = observed["dev"]
    intents = fit_intents(dev.probabilities, dev.labels)
    slot = fit_temperature(dev.spans, dev.spans_right)
    known = intents.temper(dev.probabilities)
    outside = None if outside is None else intents.temper(outside)
    right = known[intents.is_right(known, dev.labels)]
    thresholds = unknown_thresholds(right, outside, has_margin=not is_set)

    figures = {
        "intent_temperature": intents.temperature,
        "slot_temperature": slot,
        "unknown_threshold": thresholds[0],
        "unknown_margin": thresholds[1],
    }
    if is_set:
        figures["intent_threshold"] = intents.threshold
    model.calibration.set_weights(np.array(list(figures.values())))
    for name, split in observed.items():
        figures[name] = _figures(split, intents, slot, thresholds)
    if outside is not None:
        figures["unknown"] = unknown_figures(known, outside, thresholds)
    return figures


def calibrate_run(folder, dev, unknown=()):
    """Fits a finished run's calibration anew.

    Args:
        folder: path of the run.
        dev, unknown: lists of `Utterance`; see `calibrate`.

    Returns:
        dict, what is now under `calibration` in the run's `metrics.json`.

    Raises:
        InputError: for a folder that is no finished run, or data of which the
            run knows no intent. Then nothing is written.
    """
    run = Run(folder)
    model = load_joint_parser(folder).model
    if not run.is_finished:
        raise InputError(
            "is no finished run: it has no metrics.json",
            "Name a folder that `keras-slu train` made.",
            file=folder,
        )
    metrics = run.read_metrics()
    if not (_labels(model).intent_labels(dev) >= 0).any():
        raise InputError(
            f"none of {len(dev)} utterances has an intent that the run knows",
            "Give labelled data of the run's own intents.",
            file=folder,
        )
    metrics["calibration"] = calibrate(model, {"dev": dev}, unknown)
    with atomic_path(run.model) as temporary:
        model.save(temporary)
    write_text(run.metrics, json.dumps(metrics, indent=2) + "\n")
    return metrics["calibration"]


def unknown_figures(known, unknown, thresholds):
    """How well the best probability tells known from unknown.

    Args:
        known, unknown: float arrays `(n, classes)`, calibrated.
        thresholds: `(threshold, margin)`.

    Returns:
        dict: `utterances`, the unknown ones; `called_unknown`, the share of
        them at the thresholds; `auroc` and `fpr_at_95_recall` at any threshold.
    """
    scores = best_and_margin(known)[0], best_and_margin(unknown)[0]
    return {
        "utterances": len(unknown),
        "called_unknown": share_unknown(unknown, thresholds),
        "auroc": auroc(*scores),
        "fpr_at_95_recall": fpr_at_recall(*scores),
    }


def class_probabilities(parser, utterances):
    """The parser's class probabilities of utterances, float64 `(n, classes)`."""
    answers = parser.answers_of(utterances)
    return np.array([answer["intent_probabilities"] for answer in answers], float)


def observe(parser, utterances):
    """Runs labelled utterances through a parser whose model is not calibrated.

    Returns:
        `Observed`.
    """
    tokenizer = parser.model.tokenizer
    answers = parser.answers_of(utterances)
    confidence, spans_right = [], []
    for answer, gold in zip(answers, gold_labels(utterances, tokenizer), strict=True):
        wanted = set(chunks(gold.tags))
        for span in chunks(answer["tags"]):
            confidence.append(answer["slot_confidence"][span[1]])
            spans_right.append(span in wanted)
    return Observed(
        np.array([answer["intent_probabilities"] for answer in answers], float),
        _labels(parser.model).intent_labels(utterances),
        no_and_yes(confidence),
        np.array(spans_right, int),
    )


def _labels(model):
    return LabelSet(model.intents, model.tags, model.intent_head)


def _figures(observed, intents, slot, thresholds):
    """One split before and after calibration."""
    before, after = observed.probabilities, intents.temper(observed.probabilities)
    right = intents.is_right(after, observed.labels)
    claimed, holds = intents.decisions(before, observed.labels)
    figures = {
        "called_unknown": share_unknown(after, thresholds),
        "right_called_unknown": share_unknown(after[right], thresholds),
        "intent": _before_and_after(
            claimed, intents.decisions(after, observed.labels)[0], holds
        ),
    }
    if len(observed.spans):
        figures["slot"] = _before_and_after(
            observed.spans[:, 1],
            temper(observed.spans, slot)[:, 1],
            observed.spans_right,
        )
    return figures


def _before_and_after(before, after, right):
    return {
        "ece_before": ece(before, right),
        "ece": ece(after, right),
        "brier_before": brier(before, right),
        "brier": brier(after, right),
    }
