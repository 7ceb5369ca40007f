"""`reproduce`: what is trained, in which order, and until when."""

import json

import made_training
import pytest

from keras_slu.errors import InputError
from keras_slu.training import reproduction
from keras_slu.training.entries import load_entries
from keras_slu.training.reproduction import plan
from keras_slu.training.reproduction import reproduce
from keras_slu.training.reproduction import run_folder
from keras_slu.training.run import Run
from keras_slu.training.tables import row_recipe

OF_MADE = reproduction.OVERHEAD * 36.0 * made_training.EPOCHS  # seconds


@pytest.fixture
def training(tmp_path):
    return made_training.write_training(tmp_path / "training")


@pytest.fixture
def jobs_of(training, tmp_path):
    def jobs(seeds=1, only=None):
        entries = load_entries(training, "small")
        return plan(entries, training, tmp_path / "runs", seeds, only)

    return jobs


class Trainer:
    """Stands in for `train`: remembers what it was asked for."""

    def __init__(self, fails_at=None):
        self.trained = []
        self.folders = []
        self.fails_at = fails_at

    def __call__(self, recipe, folder, run):
        if len(self.trained) == self.fails_at:
            raise KeyboardInterrupt
        self.trained.append((recipe.name, recipe.seed))
        self.folders.append((folder, run))
        return made_training.make_figures(recipe)


def names(jobs):
    return [(job.recipe.name, job.recipe.seed) for job in jobs]


def test_one_seed_of_every_row_comes_before_the_next(jobs_of):
    first = [(f"{row}-{data}", 1) for row in made_training.ROWS
             for data in ("snips", "atis")]  # fmt: skip
    assert names(jobs_of(seeds=2)) == first + [(name, 2) for name, _ in first]


@pytest.mark.parametrize(
    ("only", "found"),
    [
        ("higher", [("higher-snips", 1), ("higher-atis", 1)]),
        ("higher-atis", [("higher-atis", 1)]),
    ],
)
def test_only_one_row_or_recipe(jobs_of, only, found):
    assert names(jobs_of(only=only)) == found


@pytest.mark.parametrize("only", ["old", "hier"])
def test_a_row_without_a_recipe_is_told(jobs_of, only):
    with pytest.raises(InputError, match=repr(only)):
        jobs_of(only=only)


def test_what_is_missing_is_trained_and_what_is_there_stays(
    training, jobs_of, tmp_path
):
    kept = made_training.write_made(training, "higher-snips", overall=0.7)
    made_training.write_made(training, "higher-atis", recipe_hash="older")
    before = kept.read_bytes()
    trainer = Trainer()
    runs = tmp_path / "runs"
    left = reproduce(jobs_of(2, "higher"), training, runs, trainer, tell=str)
    assert left == 0
    assert trainer.trained == [
        ("higher-atis", 1),
        ("higher-snips", 2),
        ("higher-atis", 2),
    ]
    assert trainer.folders[0] == (training / "recipes", runs / "higher-atis-seed1")
    assert kept.read_bytes() == before
    assert all(job.is_done for job in jobs_of(2, "higher"))
    page = (training / "RESULTS.md").read_text()
    assert "75.00 ± 7.07" in page  # of 0.7 and the made 0.8
    assert "older recipe" not in page.partition("##")[2]


def test_a_finished_run_of_the_same_recipe_counts_whatever_its_hash(
    training, jobs_of, tmp_path
):
    def train(recipe, folder, run):
        return made_training.make_figures(recipe, recipe_hash="before a new key")

    reproduce(jobs_of(only="lstm"), training, tmp_path, train, tell=str)
    assert all(job.is_done for job in jobs_of(only="lstm"))


def test_a_stop_loses_nothing_that_was_finished(training, jobs_of, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        reproduce(jobs_of(), training, tmp_path, Trainer(fails_at=2), tell=str)
    assert "lstm-atis `" in (training / "RESULTS.md").read_text()
    again = Trainer()
    reproduce(jobs_of(), training, tmp_path, again, tell=str)
    assert again.trained[0] == ("first-snips", 1)
    assert len(again.trained) == 4


def test_no_hours_train_nothing_and_write_the_page(training, jobs_of, tmp_path):
    made_training.write_made(training, "lstm-snips")
    trainer = Trainer()
    left = reproduce(jobs_of(), training, tmp_path, trainer, max_hours=0, tell=str)
    assert (left, trainer.trained) == (5, [])
    assert "lstm-snips `" in (training / "RESULTS.md").read_text()


def test_it_stops_before_a_training_that_would_end_too_late(
    training, jobs_of, tmp_path, monkeypatch
):
    for data in ("snips", "atis"):
        made_training.write_made(training, f"lstm-{data}", seed=9)
    clock = [0.0]
    monkeypatch.setattr(reproduction.time, "monotonic", lambda: clock[0])

    def train(recipe, folder, run):
        clock[0] += OF_MADE
        return made_training.make_figures(recipe)

    told = []
    hours = 2.9 * OF_MADE / 3600
    left = reproduce(jobs_of(), training, tmp_path, train, hours, told.append)
    assert left == 4
    assert told[-1].startswith("Stopped before first-snips, seed 1")


def test_the_time_is_that_of_the_recipe_or_of_the_slowest_of_the_data(
    training, jobs_of
):
    assert {job.seconds for job in jobs_of()} == {None}
    made_training.write_made(training, "lstm-snips", seed=5, seconds_per_epoch=10.0)
    made_training.write_made(training, "first-snips", seed=5, seconds_per_epoch=20.0)
    seconds = {job.recipe.name: job.seconds for job in jobs_of()}
    of_epoch = reproduction.OVERHEAD * made_training.EPOCHS
    assert seconds["lstm-snips"] == pytest.approx(of_epoch * 10.0)
    assert seconds["higher-snips"] == pytest.approx(of_epoch * 20.0)
    assert seconds["higher-atis"] is None


def test_the_time_of_an_interrupted_training_is_that_of_the_epochs_to_come(
    training, jobs_of, tmp_path
):
    recipe, _ = row_recipe(training, "lstm", "snips")
    run = Run(tmp_path / "runs" / "lstm-snips-seed1")
    run.claim(recipe)
    run.backup.mkdir()
    state = {"history": [{"seconds": 5.0}] * 8}
    (run.backup / "state.json").write_text(json.dumps(state))
    [job] = jobs_of(only="lstm-snips")
    assert job.seconds == pytest.approx(reproduction.OVERHEAD * 5.0 * 2)
    run.metrics.write_text("{}")
    [job] = jobs_of(only="lstm-snips")
    assert (job.seconds, job.is_done) == (0.0, False)


def test_a_run_of_an_older_recipe_is_not_touched(training, tmp_path):
    recipe, _ = row_recipe(training, "lstm", "snips")
    usual = tmp_path / "lstm-snips-seed1"
    assert run_folder(tmp_path, recipe) == usual
    Run(usual).claim(recipe)
    assert run_folder(tmp_path, recipe) == usual
    made_training.write_recipe(training, "lstm-snips", learning_rate=0.1)
    changed, _ = row_recipe(training, "lstm", "snips")
    other = run_folder(tmp_path, changed)
    assert other == tmp_path / f"lstm-snips-{changed.digest()}-seed1"
    Run(usual).recipe.write_text("name: [")
    assert run_folder(tmp_path, recipe) != usual
