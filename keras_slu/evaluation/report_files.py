"""The folder of a report: written whole, or not at all."""

import csv
import json
import os
import shutil
from pathlib import Path

from keras_slu.errors import InputError

FILES = ("report.json", "report.html", "errors.jsonl", "errors.csv")
CSV_COLUMNS = (
    "text",
    "kind",
    "gold",
    "gold_value",
    "predicted",
    "predicted_value",
    "confidence",
    "origin",
)
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what makes a spreadsheet compute


def check_folder(folder):
    """Checks that a report may be written to `folder`.

    It may be missing or empty, or hold a report, which is then replaced.

    Raises:
        InputError: when it is anything else.
    """
    folder = Path(folder)
    if not folder.exists():
        return
    if not folder.is_dir() or {path.name for path in folder.iterdir()} - set(FILES):
        raise InputError(
            "is no report: there is something else",
            "Name a new folder with --report.",
            file=folder,
        )


def write_report(folder, figures, errors, page):
    """Writes `report.json`, `report.html`, `errors.jsonl` and `errors.csv`.

    `errors.jsonl` has an utterance a line, as `error_record` makes it;
    `errors.csv` an error a row, for spreadsheets: a cell that one would take
    for a formula gets an apostrophe in front.

    Args:
        folder: path, see `check_folder`.
        figures: dict, ready for `json.dumps`.
        errors: list of `error_record`s.
        page: str, HTML.

    Raises:
        InputError: when the folder holds something else or cannot be written.
    """
    check_folder(folder)
    folder = Path(folder)
    beside = folder.parent / f".{folder.name}.{os.getpid()}"
    old = folder.parent / f".{folder.name}.{os.getpid()}.old"
    try:
        beside.mkdir(parents=True)
        _write_files(beside, figures, errors, page)
        if folder.exists():
            os.replace(folder, old)
        os.replace(beside, folder)
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror})", "Name another place.", file=folder
        ) from None
    finally:
        shutil.rmtree(beside, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _write_files(folder, figures, errors, page):
    (folder / "report.json").write_text(json.dumps(figures, indent=2) + "\n")
    # A lone surrogate has no UTF-8. Its escapes are valid JSON and HTML.
    (folder / "report.html").write_bytes(page.encode("utf-8", "xmlcharrefreplace"))
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in errors)
    (folder / "errors.jsonl").write_bytes(lines.encode("utf-8", "backslashreplace"))
    with open(
        folder / "errors.csv", "w", encoding="utf-8", errors="replace", newline=""
    ) as stream:
        writer = csv.writer(stream)
        writer.writerow(CSV_COLUMNS)
        for record in errors:
            for error in record["errors"]:
                row = _csv_row(record, error)
                writer.writerow(map(_cell, row))


def _csv_row(record, error):
    gold, predicted = error["gold"], error["predicted"]
    if error["kind"] == "intent":
        sides = ["#".join(gold), "", "#".join(predicted), ""]
    else:
        sides = [
            side[key] if side else ""
            for side in (gold, predicted)
            for key in ("name", "value")
        ]
    confidence = error["confidence"]
    confidence = "" if confidence is None else round(confidence, 6)
    return [record["text"], error["kind"], *sides, confidence, record["origin"]]


def _cell(value):
    return f"'{value}" if str(value).startswith(FORMULA) else value
