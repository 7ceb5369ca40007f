"""`keras-slu reproduce`: with a stand-in for the training itself."""

import made_training
import pytest
import yaml


@pytest.fixture
def training(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return made_training.write_training(tmp_path / "training")


@pytest.fixture
def trained(monkeypatch):
    """The runs that the stand-in was asked for."""
    from keras_slu.training import fit

    asked = []

    def train(recipe, folder, run, callbacks):
        asked.append(str(run))
        return made_training.make_figures(recipe)

    monkeypatch.setattr(fit, "train", train)
    return asked


def test_it_trains_files_and_tells(training, trained, command):
    made_training.write_made(training, "higher-snips")
    result = command("reproduce", "small", "--only", "higher", "--seeds", "2")
    assert result.code == 0, result.err.decode()
    assert trained == [
        "runs/higher-atis-seed1",
        "runs/higher-snips-seed2",
        "runs/higher-atis-seed2",
    ]
    assert len(list((training / "results").iterdir())) == 4
    shown = result.out.decode()
    assert "Training higher-atis, seed 1" in shown
    assert "Wrote training/RESULTS.md; 0 of 4 to train." in shown
    assert "higher-snips `" in (training / "RESULTS.md").read_text()


def test_no_hours_only_write_the_page(training, trained, command):
    result = command("reproduce", "small", "--max-hours", "0")
    assert (result.code, trained) == (0, [])
    assert b"18 of 18 to train" in result.out
    assert (training / "RESULTS.md").exists()


def test_a_figure_is_drawn_where_matplotlib_is(training, command, monkeypatch):
    from keras_slu.training import pictures

    lines = {"first order": {"first": 0.1}, "higher order": {"higher": 0.1}}
    table = {**made_training.TABLES["small"], "figure": {"x": "r", "lines": lines}}
    (training / "tables.yaml").write_text(yaml.safe_dump({"small": table}))
    made_training.write_made(training, "first-snips")
    draw = ("reproduce", "small", "--max-hours", "0")
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    result = command(*draw)
    assert result.code == 0 and b"needs matplotlib" in result.out
    assert not (training / "figures").exists()
    monkeypatch.undo()
    monkeypatch.chdir(training.parent)
    assert b"Wrote training/figures/small-snips.png." in command(*draw).out


def test_the_list_writes_nothing(training, trained, command):
    for seed in (1, 3):
        made_training.write_made(training, "lstm-snips", seed)
    result = command("reproduce", "small", "--list")
    assert (result.code, trained) == (0, [])
    lines = result.out.decode().splitlines()
    [row] = [line for line in lines if "lstm-snips" in line]
    # An epoch of the made results takes 36 s, and there are ten.
    assert [cell.strip() for cell in row.split("│")[1:-1]] == [
        "lstm-snips", "1, 3", "2", "about 7 minutes",
    ]  # fmt: skip
    assert "16 of 18 to train, for how long is not known" in lines[-1]
    assert not (training / "RESULTS.md").exists()


def test_an_unknown_table_row_or_place_is_told(
    training, command, refused, tmp_path, monkeypatch
):
    refused(command("reproduce", "large"), "'large'", "small")
    refused(command("reproduce", "small", "--only", "old"), "'old'", "higher")
    monkeypatch.chdir(tmp_path / "training")
    refused(command("reproduce", "small"), "root of the repository")


def test_a_faulty_recipe_is_told_before_anything_is_trained(
    training, trained, command, refused
):
    path = training / "recipes" / "higher-atis.yaml"
    path.write_text(path.read_text() + "sed: 3\n")
    refused(command("reproduce", "small"), "higher-atis.yaml", "`sed`")
    assert trained == []
    assert not (training / "RESULTS.md").exists()
