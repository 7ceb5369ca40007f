"""`keras-slu skills`: what the tasks of a SkillNet use, and one more skill."""

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="skills",
    help="Look at the skills of a run with many tasks, and add one.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
RUN = Annotated[Path, typer.Argument(help="Folder of a finished run of skills.")]


@app.command()
def show(
    run: RUN,
    pieces: Annotated[
        int, typer.Option(min=8, help="Word pieces of the text that is timed.")
    ] = 64,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the figures as JSON.")
    ] = False,
):
    """Print the parameters and the time of each task.

    The time is that of one text, or one pair, through encoder and head.
    """
    from keras_slu.cli.skill_times import task_milliseconds
    from keras_slu.cli.status import status

    model = _load(run)
    pieces = min(pieces, model.encoder.max_pieces)
    tasks = {}
    for task in model.tasks:
        with status(f"Timing {task.name}"):
            milliseconds = task_milliseconds(model, task, pieces)
        tasks[task.name] = {
            "kind": task.kind,
            "skills": list(task.skills),
            "active_parameters": model.active_parameters(task.name),
            "milliseconds": round(milliseconds, 2),
        }
    content = {
        "parameters": model.count_params(),
        "skills": list(model.skills),
        "pieces": pieces,
        "tasks": tasks,
    }
    if as_json:
        typer.echo(json.dumps(content, indent=2))
    else:
        _print(content)


@app.command()
def add(
    run: RUN,
    skill: Annotated[str, typer.Argument(help="Name of the new skill.")],
    output: Annotated[Path, typer.Option(help="Folder for the new model.")],
    start: Annotated[
        str, typer.Option("--from", help="The skill that it begins as a copy of.")
    ] = "s7",
    tasks: Annotated[
        list[str] | None,
        typer.Option("--task", help="A task that activates it; may be repeated."),
    ] = None,
):
    """Write a model with one more skill, for a recipe's `start` to name."""
    from keras_slu.errors import InputError
    from keras_slu.training.loop import save_model
    from keras_slu.training.run import Run

    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise InputError(
            "is not an empty folder", "Name another with --output.", file=output
        )
    model = _load(run)
    _check(model, run, skill, start, tasks or ())
    save_model(model.add_skill(skill, start, tasks or ()), Run(output))
    typer.echo(
        f"Wrote a model with the skills {', '.join([*model.skills, skill])}: {output}"
    )


@app.command()
def answer(
    run: Annotated[
        Path, typer.Argument(help="Folder of a run of skills, or an export of one.")
    ],
    task: Annotated[str, typer.Argument(help="The task.")],
    text: Annotated[str, typer.Argument(help="The text, or the question.")],
    second: Annotated[
        str | None,
        typer.Argument(help="Of a pair the other text; the passage; the candidate."),
    ] = None,
):
    """Print what a task answers to a text, or to a pair, as JSON."""
    from dataclasses import asdict

    import keras_slu
    from keras_slu.errors import InputError

    parser = keras_slu.load(run)
    if not hasattr(parser, "answer"):
        raise InputError(
            "is no run of skills",
            "Name one that was trained with `task: skills`.",
            file=run,
        )
    content = asdict(parser.answer(task, text, second))
    typer.echo(json.dumps(content, ensure_ascii=False))


def _load(run):
    from keras_slu.cli.status import status
    from keras_slu.errors import InputError

    with status("Loading the run"):
        from keras_slu.models import SkillNet
        from keras_slu.parsing.parser import load_model

        model = load_model(run)
    if not isinstance(model, SkillNet):
        raise InputError(
            "is no run of skills",
            "Name one that was trained with `task: skills`.",
            file=run,
        )
    return model


def _check(model, run, skill, start, tasks):
    """Refuses names that do not fit the model."""
    from keras_slu.data.skill_task import NAME
    from keras_slu.errors import InputError

    if model.encoder.get_config()["kind"] != "skill":
        raise InputError("has no skills to add to", "Name a sparse model.", file=run)
    if skill in model.skills or not NAME.fullmatch(skill):
        raise InputError(
            f"{skill!r} cannot name a new skill",
            f"Take letters, digits, _.- and none of {', '.join(model.skills)}.",
        )
    names = [task.name for task in model.tasks]
    for value, known in ((start, model.skills), *((task, names) for task in tasks)):
        if value not in known:
            raise InputError(
                f"has no {value!r}", f"Name one of {', '.join(known)}.", file=run
            )


def _print(content):
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("task", "kind", "skills", "active parameters", "%", "ms")
    for name, task in content["tasks"].items():
        active = task["active_parameters"]
        table.add_row(
            Text(name),
            task["kind"],
            Text(", ".join(task["skills"])),
            f"{active:,}",
            f"{100 * active / content['parameters']:.0f}",
            f"{task['milliseconds']:.2f}",
        )
    table.caption = (
        f"of {content['parameters']:,} parameters, {len(content['skills'])} skills; "
        f"{content['pieces']} pieces, batch 1, median"
    )
    Console().print(table)
