"""`keras-slu train`: from a recipe to a run."""

import json
from pathlib import Path
from typing import Annotated

import typer


def train(
    recipe: Annotated[Path, typer.Argument(help="The recipe, a YAML file.")],
    run: Annotated[
        Path | None,
        typer.Option(help="Folder of the run. Default: runs/NAME-seedK."),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=2**32 - 1, help="Seed in place of the recipe's."),
    ] = None,
    results: Annotated[
        Path | None,
        typer.Option(help="Folder that gets NAME-seedK.json when all is done."),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="Finished run to go on from. New words and labels come after its own.",
        ),
    ] = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Profile ten batches for TensorBoard.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON, and no progress.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing.")] = False,
):
    """Train a recipe, or go on with a training that was interrupted."""
    from keras_slu.errors import InputError
    from keras_slu.training.recipe import load_recipe
    from keras_slu.training.threads import spare_threads

    settings, folder = load_recipe(recipe)
    if seed is not None:
        settings = settings.model_copy(update={"seed": seed})
    if start is not None:
        if settings.task != "joint":
            raise InputError(
                f"--from is for joint models, not for the task {settings.task}",
                "Leave it out.",
                file=recipe,
            )
        settings = settings.model_copy(update={"start": str(start.resolve())})
    spare_threads(settings)
    run = run or Path("runs") / f"{settings.name}-seed{settings.seed}"

    from keras_slu.cli.tasks import load_task
    from keras_slu.training.progress import Progress
    from keras_slu.training.run import write_result

    task = load_task(settings.task)
    callbacks = [] if quiet or as_json else [Progress(task.shown)]
    figures = task.train(settings, folder, run, callbacks=callbacks, profile=profile)
    if results is not None:
        write_result(figures, results)
    if as_json:
        typer.echo(json.dumps(figures, indent=2))
    elif not quiet:
        task.print_figures(figures)
        typer.echo(f"The run is in {run}. Try: {task.hint.format(run=run)}")
