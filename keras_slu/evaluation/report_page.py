"""The report as one page that needs no network."""

import base64
import hashlib
from pathlib import Path

import numpy as np

from keras_slu.errors import InputError
from keras_slu.evaluation.report import NO_INTENT

PAGE = Path(__file__).parent / "page"
MAX_ERRORS = 300  # on the page; the files have them all
MAX_LABELS = 30  # of the confusion matrix
HEADLINE = (
    ("overall_accuracy", "Overall accuracy", "Intents and every slot right."),
    ("intent_accuracy", "Intent accuracy", "All intents right, whatever the slots."),
    ("slot_f1", "Slot F1", "Slots right in name, start and end."),
)
KIND_MEANINGS = {
    "intent": "other intents than the gold's",
    "boundary": "a slot's name right, its start or end wrong",
    "type": "a slot found there, under another name",
    "missed": "a slot that was not found at all",
    "spurious": "a slot where the gold has none",
}


def render_page(figures, errors, score_titles):
    """Renders a report.

    Whatever texts and labels hold is shown as text: all is escaped, and the
    page forbids itself any script but its own.

    Args:
        figures: dict, what `report.json` holds: see `make_report`, and `run`,
            `data`, `version` and `gold_tokens`, scores as a dict.
        errors: list of `error_record`s, the worst first.
        score_titles: dict, score to its title, for the table of all scores.

    Returns:
        str, HTML.

    Raises:
        InputError: when jinja2 is not installed.
    """
    try:
        import jinja2
    except ImportError:
        raise InputError(
            "a report needs jinja2, which is not installed",
            "Install it: pip install 'keras-slu[report]'.",
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(PAGE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = (PAGE / "report.js").read_text(encoding="utf-8")
    digest = hashlib.sha256(script.encode()).digest()
    return environment.get_template("report.html").render(
        figures=figures,
        errors=errors[:MAX_ERRORS],
        title=f"{figures['run']} on {figures['data']}",
        run=figures["run"],
        data=figures["data"],
        version=figures["version"],
        headline=HEADLINE,
        all_scores=list(score_titles.items()),
        kind_meanings=KIND_MEANINGS,
        parts=_parts(figures),
        confusion=_confusion(figures["confusion"]),
        hues=_hues(figures["slots"]),
        labels=sorted({row["name"] for row in figures["intents"] + figures["slots"]}),
        labels_of=labels_of,
        no_intent=NO_INTENT,
        segments=segments,
        is_among=is_among,
        script=jinja2.utils.markupsafe.Markup(script),
        script_hash=base64.b64encode(digest).decode(),
    )


def segments(text, slots):
    """Cuts a text at its slots.

    Args:
        text: str.
        slots: list of dicts with `start` and `end`, by rising start, never
            overlapping.

    Yields:
        `(piece, slot)`, `None` for what lies between slots.

    Example:

    >>> list(segments("go to Rome", [{"start": 6, "end": 10}]))
    [('go to ', None), ('Rome', {'start': 6, 'end': 10})]
    """
    done = 0
    for slot in slots:
        if slot["start"] > done:
            yield text[done : slot["start"]], None
        yield text[slot["start"] : slot["end"]], slot
        done = slot["end"]
    if done < len(text):
        yield text[done:], None


def is_among(slot, others):
    """Whether the same slot is on the other side."""
    return any(
        all(slot[key] == other[key] for key in ("name", "start", "end"))
        for other in others
    )


def labels_of(record):
    """The labels that an utterance's errors are about, gold and predicted."""
    found = set()
    for error in record["errors"]:
        for side in (error["gold"], error["predicted"]):
            if isinstance(side, dict):
                found.add(side["name"])
            else:
                found.update(side or ())
    return sorted(found)


def _parts(figures):
    parts = [(f"{row['words']} words", row) for row in figures["by_length"]]
    for key, part in figures["by_unknown_words"].items():
        if part["utterances"]:
            parts.append((f"{key} unknown words", part))
    return parts


def _hues(slots):
    """A colour for each slot name: golden angles keep neighbours apart."""
    return {
        row["name"]: round(place * 137.508 % 360) for place, row in enumerate(slots)
    }


def _confusion(confusion):
    """The matrix as the page shows it: no empty lines, and not too many labels."""
    labels, counts = confusion["labels"], np.array(confusion["counts"])
    places = np.arange(len(labels))
    if len(labels) > MAX_LABELS:
        wrong = counts.sum(0) + counts.sum(1) - 2 * counts.diagonal()
        places = np.sort(np.argsort(-wrong, kind="stable")[:MAX_LABELS])
    rows = [place for place in places if counts[place].any()]
    columns = [place for place in places if counts[rows, place].any()]
    return {
        "columns": [labels[column] for column in columns],
        "rows": [
            {
                "label": labels[row],
                "cells": [
                    (counts[row, column], counts[row, column] / counts[row].sum())
                    for column in columns
                ],
                "right": columns.index(row) if row in columns else None,
            }
            for row in rows
        ],
        "labels": len(places),
        "left_out": len(labels) - len(places),
    }
