"""What a report holds: every figure of one parser on one data set."""

from collections import Counter
from collections import defaultdict

import numpy as np

from keras_slu.evaluation.calibration import BINS
from keras_slu.evaluation.calibration import brier
from keras_slu.evaluation.calibration import ece
from keras_slu.evaluation.errors import KINDS
from keras_slu.evaluation.errors import answer_confidence
from keras_slu.evaluation.errors import error_record
from keras_slu.evaluation.errors import intents_right
from keras_slu.evaluation.errors import severity
from keras_slu.evaluation.errors import slot_errors
from keras_slu.evaluation.errors import span
from keras_slu.evaluation.scores import score_spans
from keras_slu.evaluation.significance import counts
from keras_slu.evaluation.significance import intervals

LENGTHS = ((0, 5), (6, 10), (11, 15), (16, 20), (21, None))  # words, inclusive
NO_INTENT = "(no intent)"


def make_report(utterances, frames, lengths, has_unknown, before=None):
    """Makes the figures of a report from a parser's answers to raw text.

    Args:
        utterances: list of `Utterance`, the gold, not empty.
        frames: as many `Frame`, of the same texts.
        lengths: list of int, the number of words of each.
        has_unknown: list of bool, whether it holds a word without an id.
        before: as many `Frame`, with the confidences from before calibration,
            or `None` where there was none. Defaults to `None`.

    Returns:
        `(figures, errors)`. `figures`, a dict ready for `json.dumps`:
        `scores` (those of `score_spans`), `intervals` (95 %, by bootstrap over
        utterances), `intents` and `slots` (for each label precision, recall,
        F1, support and `confused_with`), `confusion` (of the sets of intents,
        gold by row), `by_length`, `by_unknown_words`, `calibration` (with
        `before`, also `ece_before` and `brier_before`) and `error_kinds`.
        `errors`, a list of `error_record`s, the most confident first.

    Raises:
        ValueError: as `score_spans`.
    """
    scores = score_spans(utterances, frames)
    records = [error_record(u, f) for u, f in zip(utterances, frames, strict=True)]
    errors = sorted(filter(None, records), key=severity, reverse=True)
    kinds = Counter(error["kind"] for record in errors for error in record["errors"])
    figures = {
        "utterances": len(utterances),
        "wrong_utterances": len(errors),
        "scores": scores.to_dict(),
        "intervals": intervals(counts(utterances, frames)),
        "intents": _intents(utterances, frames),
        "slots": _slots(utterances, frames),
        "confusion": _confusion(utterances, frames),
        "by_length": _by_length(utterances, frames, lengths),
        "by_unknown_words": _by_unknown_words(utterances, frames, has_unknown),
        "calibration": _calibration(utterances, frames, before),
        "error_kinds": {kind: kinds[kind] for kind in KINDS},
        "called_unknown": sum(frame.is_unknown for frame in frames),
    }
    return figures, errors


def _intents(utterances, frames):
    pairs, confusions = [], []
    for utterance, frame in zip(utterances, frames, strict=True):
        gold, predicted = set(utterance.intents), set(frame.active_intents)
        pairs.append((gold, predicted))
        confusions += [(g, p) for g in gold - predicted for p in predicted - gold]
    return _label_table(pairs, confusions, name_of=lambda intent: intent)


def _slots(utterances, frames):
    pairs, confusions = [], []
    for utterance, frame in zip(utterances, frames, strict=True):
        pairs.append((set(map(span, utterance.slots)), set(map(span, frame.slots))))
        confusions += [
            (error.gold.name, error.predicted.name)
            for error in slot_errors(utterance.slots, frame.slots)
            if error.kind == "type"
        ]
    return _label_table(pairs, confusions, name_of=lambda slot: slot[0])


def _label_table(pairs, confusions, name_of):
    """A row for each label, by falling support, from pairs of sets of items."""
    hits, wanted, given = Counter(), Counter(), Counter()
    for gold, predicted in pairs:
        hits.update(map(name_of, gold & predicted))
        wanted.update(map(name_of, gold))
        given.update(map(name_of, predicted))
    taken_for = defaultdict(Counter)
    for gold, predicted in confusions:
        taken_for[gold][predicted] += 1
    return [
        {
            "name": name,
            "precision": _ratio(hits[name], given[name]),
            "recall": _ratio(hits[name], wanted[name]),
            "f1": _ratio(2 * hits[name], wanted[name] + given[name]),
            "support": wanted[name],
            "predicted": given[name],
            "confused_with": dict(taken_for[name].most_common()),
        }
        for name in sorted({*wanted, *given}, key=lambda name: (-wanted[name], name))
    ]


def _ratio(part, whole):
    return part / whole if whole else 0.0


def _confusion(utterances, frames):
    """Counts of gold sets of intents against predicted ones."""
    gold = [_set_name(utterance.intents) for utterance in utterances]
    predicted = [_set_name(frame.active_intents) for frame in frames]
    support = Counter(gold)
    labels = sorted({*gold, *predicted}, key=lambda name: (-support[name], name))
    place = {label: row for row, label in enumerate(labels)}
    matrix = np.zeros((len(labels), len(labels)), np.int64)
    for row, column in zip(gold, predicted, strict=True):
        matrix[place[row], place[column]] += 1
    return {"labels": labels, "counts": matrix.tolist()}


def _set_name(intents):
    return "#".join(sorted(intents)) or NO_INTENT


def _by_length(utterances, frames, lengths):
    rows = []
    for low, high in LENGTHS:
        inside = [low <= n and (high is None or n <= high) for n in lengths]
        title = f"{low}–{high}" if high else f"{low} or more"
        rows.append({"words": title, **_part(utterances, frames, inside)})
    return [row for row in rows if row["utterances"]]


def _by_unknown_words(utterances, frames, has_unknown):
    return {
        "without": _part(utterances, frames, [not unknown for unknown in has_unknown]),
        "with": _part(utterances, frames, has_unknown),
    }


def _part(utterances, frames, inside):
    """The main scores of those utterances that are inside."""
    chosen = [place for place, is_in in enumerate(inside) if is_in]
    if not chosen:
        return {"utterances": 0}
    scores = score_spans([utterances[i] for i in chosen], [frames[i] for i in chosen])
    return {
        "utterances": scores.utterances,
        "overall_accuracy": scores.overall_accuracy,
        "intent_accuracy": scores.intent_accuracy,
        "slot_f1": scores.slot_f1,
    }


def _calibration(utterances, frames, before):
    """How far confidences are right, for intents and for predicted slots."""
    parts = {
        part: _reliability(pairs)
        for part, pairs in _confidences(utterances, frames).items()
    }
    if before is not None:
        for part, pairs in _confidences(utterances, before).items():
            figures = _reliability(pairs)
            for name in {"ece", "brier"} & figures.keys():
                parts[part][f"{name}_before"] = figures[name]
    return parts


def _confidences(utterances, frames):
    """`(confidence, is right)` of all answers, of intents and of slots."""
    intents, slots = [], []
    for utterance, frame in zip(utterances, frames, strict=True):
        intents.append((answer_confidence(frame), intents_right(utterance, frame)))
        gold = set(map(span, utterance.slots))
        slots += [(slot.confidence, span(slot) in gold) for slot in frame.slots]
    return {"intents": intents, "slots": slots}


def _reliability(pairs):
    """ECE, Brier score and the filled bins of `(confidence, is right)` pairs."""
    if not pairs:
        return {"count": 0}
    confidence, right = map(np.array, zip(*pairs, strict=True))
    places = np.minimum((confidence * BINS).astype(int), BINS - 1)
    bins = []
    for place in sorted(set(places.tolist())):
        inside = places == place
        hits = int(right[inside].sum())
        bins.append(
            {
                "low": place / BINS,
                "high": (place + 1) / BINS,
                "right": hits,
                "wrong": int(inside.sum()) - hits,
                "mean_confidence": float(confidence[inside].mean()),
            }
        )
    return {
        "count": len(pairs),
        "ece": ece(confidence, right),
        "brier": brier(confidence, right),
        "bins": bins,
    }
