"""`keras-slu reproduce`: trains the rows of a published table, and the page of it."""

from pathlib import Path
from typing import Annotated

import typer

TRAINING = Path("training")
RUNS = Path("runs")


def reproduce(
    table: Annotated[
        str, typer.Argument(help="Name of a table, as RESULTS.md gives it.")
    ],
    seeds: Annotated[
        int, typer.Option(min=1, help="How many seeds of each row, from 1.")
    ] = 3,
    only: Annotated[
        str | None,
        typer.Option(help="The one row, or the one recipe, to train."),
    ] = None,
    max_hours: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            help="Begin no training that would end later; 0 trains nothing and "
            "writes RESULTS.md anew.",
        ),
    ] = None,
    as_list: Annotated[
        bool, typer.Option("--list", help="List what is there and what is missing.")
    ] = False,
):
    """Train what a published table lacks, and write training/RESULTS.md.

    Run from the root of the repository. Results in training/results/ stay as
    long as their recipe does. An interrupted training goes on when the command
    is given again.
    """
    from keras_slu.training.entries import load_entries
    from keras_slu.training.reproduction import plan
    from keras_slu.training.reproduction import reproduce as reproduce_jobs
    from keras_slu.training.threads import spare_threads

    jobs = plan(load_entries(TRAINING, table), TRAINING, RUNS, seeds, only)
    if as_list:
        _print_jobs(jobs)
        return
    spare_threads(*(job.recipe for job in jobs if not job.is_done))
    left = reproduce_jobs(jobs, TRAINING, RUNS, _train, max_hours, tell=typer.echo)
    _draw(table)
    typer.echo(f"Wrote {TRAINING / 'RESULTS.md'}; {left} of {len(jobs)} to train.")


def _train(recipe, folder, run_folder):
    import keras

    from keras_slu.cli.tasks import load_task
    from keras_slu.training.progress import Progress

    keras.utils.clear_session()  # what the training before has left
    task = load_task(recipe.task)
    return task.train(recipe, folder, run_folder, callbacks=[Progress(task.shown)])


def _draw(name):
    """Draws the table's figure, where it has one."""
    from keras_slu.training.figures import write_figures
    from keras_slu.training.pictures import can_draw
    from keras_slu.training.tables import load_tables

    table = load_tables(TRAINING).get(name)
    if table is None or table.figure is None:
        return
    if not can_draw():
        typer.echo("The figure needs matplotlib: pip install 'keras-slu[report]'.")
        return
    for path in write_figures(TRAINING, name, table):
        typer.echo(f"Wrote {path}.")


def _print_jobs(jobs):
    from rich.console import Console
    from rich.table import Table

    from keras_slu.training.reproduction import duration

    shown = Table("recipe", "seeds on file", "to train", "expected")
    by_recipe = {}
    for job in jobs:
        by_recipe.setdefault(job.recipe.name, []).append(job)
    for name, of_recipe in by_recipe.items():
        missing = [job for job in of_recipe if not job.is_done]
        shown.add_row(
            name,
            _seeds(job for job in of_recipe if job.is_done),
            _seeds(missing),
            duration(_total(missing)) if missing else "",
        )
    missing = [job for job in jobs if not job.is_done]
    shown.caption = (
        f"{len(missing)} of {len(jobs)} to train, {duration(_total(missing))}"
    )
    Console().print(shown)


def _seeds(jobs):
    return ", ".join(str(job.recipe.seed) for job in jobs)


def _total(jobs):
    """Seconds of all, or `None` where those of one are not known."""
    seconds = [job.seconds for job in jobs]
    return None if None in seconds else sum(seconds)
