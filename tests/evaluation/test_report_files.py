"""The folder of a report: what is in it, and when it is written."""

import csv
import json
import os

import pytest
from parses import gold
from parses import parsed

from keras_slu.errors import InputError
from keras_slu.evaluation import report_files
from keras_slu.evaluation.errors import error_record
from keras_slu.evaluation.report_files import FILES
from keras_slu.evaluation.report_files import check_folder
from keras_slu.evaluation.report_files import write_report

ERRORS = [
    error_record(
        gold('=1+1, "now"', "play stop", ("sum", 0, 4)),
        parsed('=1+1, "now"', "play", ("sum", 0, 5, 0.625), probability=0.5),
    ),
    error_record(gold("zoë 😀", "x", ("who", 0, 3)), parsed("zoë 😀", "x")),
]


def write(folder, page="<p>page</p>", errors=ERRORS):
    write_report(folder, {"utterances": 3}, errors, page)


def test_four_files(tmp_path):
    folder = tmp_path / "new" / "report"
    write(folder)
    assert sorted(os.listdir(folder)) == sorted(FILES)
    assert os.listdir(tmp_path / "new") == ["report"]
    assert json.loads((folder / "report.json").read_text()) == {"utterances": 3}
    assert (folder / "report.html").read_text() == "<p>page</p>"
    lines = (folder / "errors.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == ERRORS


def test_an_error_a_row_and_no_formulas(tmp_path):
    write(tmp_path / "report")
    with open(tmp_path / "report" / "errors.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["kind"] for row in rows] == ["intent", "boundary", "missed"]
    intent, boundary, missed = rows
    assert intent["text"] == boundary["text"] == '\'=1+1, "now"'
    assert (intent["gold"], intent["predicted"]) == ("play#stop", "play")
    assert float(intent["confidence"]) == 0.5
    assert (boundary["gold"], boundary["gold_value"]) == ("sum", "'=1+1")
    assert boundary["predicted_value"] == "'=1+1,"
    assert float(boundary["confidence"]) == 0.625
    assert missed["text"] == "zoë 😀"
    assert missed["predicted"] == missed["confidence"] == ""


def test_a_lone_surrogate_is_written(tmp_path):
    errors = [error_record(gold("a\ud83d", "x"), parsed("a\ud83d", "y"))]
    write(tmp_path / "report", page="a\ud83d", errors=errors)
    line = (tmp_path / "report" / "errors.jsonl").read_text(encoding="utf-8")
    assert json.loads(line)["text"] == "a\ud83d"


def test_a_report_is_replaced_whole(tmp_path):
    write(tmp_path / "report", "old")
    write(tmp_path / "report", "new")
    assert (tmp_path / "report" / "report.html").read_text() == "new"
    assert os.listdir(tmp_path) == ["report"]


def test_an_empty_folder_is_taken(tmp_path):
    (tmp_path / "report").mkdir()
    write(tmp_path / "report")
    assert sorted(os.listdir(tmp_path / "report")) == sorted(FILES)


def test_something_else_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    for path in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(InputError, match="is no report"):
            check_folder(path)
        with pytest.raises(InputError, match="is no report"):
            write(path)
    assert os.listdir(tmp_path) == ["thesis.txt"]
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_a_fault_leaves_the_report_before(tmp_path, monkeypatch):
    write(tmp_path / "report", "old")

    def fail(*_):
        raise OSError(28, "no space left")

    monkeypatch.setattr(report_files, "_csv_row", fail)
    with pytest.raises(InputError, match="no space left"):
        write(tmp_path / "report", "new")
    assert (tmp_path / "report" / "report.html").read_text() == "old"
    assert os.listdir(tmp_path) == ["report"]


def test_a_file_for_a_parent_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "file" / "report")
