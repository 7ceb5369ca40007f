"""Trains what a published table lacks: what to run, for how long, in which order."""

import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from keras_slu.errors import InputError
from keras_slu.training.base_recipe import BaseRecipe
from keras_slu.training.recipe import load_recipe
from keras_slu.training.results_page import write_results_page
from keras_slu.training.run import Run
from keras_slu.training.run import write_result
from keras_slu.training.tables import read_results

# `seconds_per_epoch` leaves out scoring dev, calibration and the start.
OVERHEAD = 1.1


@dataclass(frozen=True)
class Job:
    """One training of a table.

    Attributes:
        recipe: recipe of any task, with its seed.
        folder: path that the recipe's paths are relative to.
        is_done: bool. Whether its result is on file, of the recipe as it is.
        seconds: float, the time that it will take, or `None` where nothing was
            measured that tells.
    """

    recipe: BaseRecipe
    folder: Path
    is_done: bool
    seconds: float | None


def plan(entries, training, runs, seeds, only=None):
    """All trainings of a table, one seed of every row before the next seed.

    Args:
        entries: list of `Entry`, the table's.
        training: path of the folder `training/`.
        runs: path of the folder of the runs.
        seeds: int. How many seeds, from 1.
        only: str. The one row, or the one recipe, to train. Defaults to `None`.

    Returns:
        list of `Job`.

    Raises:
        InputError: for a faulty result, or when there is nothing of the name
            `only`.
    """
    chosen = [e for e in entries if only in (None, e.row, e.recipe.name)]
    if not chosen:
        raise InputError(
            f"there is no recipe to train for the row {only!r}"
            if only
            else "no row of the table has a recipe",
            f"Rows with one are {', '.join(dict.fromkeys(e.row for e in entries))}; "
            f"recipes are in {training}/recipes.",
        )
    of_epoch = _seconds_per_epoch(entries, training)
    jobs = []
    for seed in range(1, seeds + 1):
        for entry in chosen:
            recipe = entry.recipe.model_copy(update={"seed": seed})
            results = read_results(training, recipe)
            is_done = not results.is_older and seed in results.by_seed
            measured = of_epoch.get(entry.data)
            seconds = 0.0 if is_done else _estimate(recipe, runs, measured)
            jobs.append(Job(recipe, entry.folder, is_done, seconds))
    return jobs


def reproduce(jobs, training, runs, train, max_hours=None, tell=print):
    """Trains the jobs that are not done and files their results.

    A training that was interrupted goes on where it stopped. The page of
    results is written anew at the start and after each training.

    Args:
        jobs: list of `Job`, of `plan`.
        training: path of the folder `training/`.
        runs: path of the folder of the runs.
        train: function called with `(recipe, folder, run_folder)` that gives
            the figures, such as `keras_slu.training.fit.train`.
        max_hours: float. No training begins that would likely end later than
            this. Defaults to `None`, no limit.
        tell: function called with each message. Defaults to `print`.

    Returns:
        int, how many trainings are left to do.
    """
    start = time.monotonic()
    write_results_page(training)
    left = [job for job in jobs if not job.is_done]
    while left:
        job = left[0]
        name = f"{job.recipe.name}, seed {job.recipe.seed}"
        end = time.monotonic() - start + (job.seconds or 0.0)
        if max_hours is not None and end >= 3600 * max_hours:
            tell(f"Stopped before {name}: it would end after {max_hours:g} hours.")
            break
        tell(f"Training {name}, {duration(job.seconds)}.")
        figures = train(job.recipe, job.folder, run_folder(runs, job.recipe))
        # A run from before a key was in recipes has another hash on file.
        figures = {**figures, "recipe_hash": job.recipe.digest()}
        write_result(figures, Path(training) / "results")
        write_results_page(training)
        left.pop(0)
    return len(left)


def run_folder(runs, recipe):
    """The folder of a training: that of `keras-slu train` unless it is taken.

    A run of an older form of the recipe stays; the new one's folder then has
    the recipe's hash in its name.
    """
    folder = Path(runs) / f"{recipe.name}-seed{recipe.seed}"
    if _is_of_another(Run(folder).recipe, recipe):
        return Path(runs) / f"{recipe.name}-{recipe.digest()}-seed{recipe.seed}"
    return folder


def _is_of_another(path, recipe):
    if not path.exists():
        return False
    try:
        return load_recipe(path)[0] != recipe
    except InputError:  # written by another version
        return True


def duration(seconds):
    """A time to expect, in words.

    >>> duration(100.0), duration(5000.0), duration(None)
    ('about 2 minutes', 'about 1.4 hours', 'for how long is not known')
    """
    if seconds is None:
        return "for how long is not known"
    if seconds < 3600:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"


def _estimate(recipe, runs, measured):
    """Seconds that a training will take, or `None`.

    An epoch takes what it took so far; else what it took in this recipe's
    results; else what it took in the slowest of the same data.
    """
    run = Run(run_folder(runs, recipe))
    if run.is_finished:
        return 0.0
    history = _history(run)
    if history:
        of_epoch = statistics.median(logs["seconds"] for logs in history)
    elif measured:
        of_epoch = measured.get(recipe.name, max(measured.values()))
    else:
        return None
    return OVERHEAD * of_epoch * (recipe.training.epochs - len(history))


def _history(run):
    """The logs of the epochs that an unfinished run has done."""
    try:
        state = (run.backup / "state.json").read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return json.loads(state)["history"]


def _seconds_per_epoch(entries, training):
    """What was measured, by data set and the name of the recipe."""
    measured = {}
    for entry in entries:
        results = read_results(training, entry.recipe).by_seed
        if results:
            of_data = measured.setdefault(entry.data, {})
            of_data[entry.recipe.name] = statistics.mean(
                figures["seconds_per_epoch"] for figures in results.values()
            )
    return measured
