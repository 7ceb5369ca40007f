"""The plot of a table: one point a row, at the mean of its seeds."""

import made_training
import pytest
import yaml

from keras_slu.training import figures
from keras_slu.training.tables import load_tables

pytest.importorskip("matplotlib")

FIGURE = {"x": "rate", "lines": {"one": {"first": 0.1, "lstm": 1}, "two": {"old": 1}}}


@pytest.fixture
def folder(tmp_path):
    folder = made_training.write_training(tmp_path / "training")
    table = {**made_training.TABLES["small"], "figure": FIGURE}
    (folder / "tables.yaml").write_text(yaml.safe_dump({"small": table}))
    return folder


def test_a_picture_for_each_data_set_with_results(folder, monkeypatch):
    made_training.write_made(folder, "first-atis", 1, overall=0.8)
    made_training.write_made(folder, "first-atis", 2, overall=0.9)
    made_training.write_made(folder, "lstm-atis", 1, overall=0.5)
    drawn = []
    draw = figures.line_picture

    def remember(lines, *labels):
        drawn.append((lines, labels))
        return draw(lines, *labels)

    monkeypatch.setattr(figures, "line_picture", remember)
    table = load_tables(folder)["small"]
    [path] = figures.write_figures(folder, "small", table)
    assert path == folder / "figures" / "small-atis.png"
    assert path.read_bytes()[:4] == b"\x89PNG"
    [(lines, labels)] = drawn
    assert lines["one"] == [
        (0.1, pytest.approx(85.0), pytest.approx(7.07, abs=0.01)),
        (1.0, 50.0, 0.0),
    ]
    assert lines["two"] == []
    assert labels[:2] == ("Small, ATIS", "rate")


def test_without_results_there_is_no_picture(folder):
    assert figures.write_figures(folder, "small", load_tables(folder)["small"]) == []
    assert not (folder / "figures").exists()
