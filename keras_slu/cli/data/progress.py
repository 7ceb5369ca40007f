"""A line on the terminal that says how far a file is read."""

from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress
from rich.progress import SpinnerColumn
from rich.progress import TextColumn
from rich.progress import TimeElapsedColumn

EVERY = 1000  # utterances; telling each one would cost more than reading it


@contextmanager
def watching():
    """Gives a function of `(name, utterances)` that gives the utterances back.

    Where standard error is no terminal, nothing is shown.
    """
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description} {task.completed:,} utterances"),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bars:

        def watch(name, utterances):
            task = bars.add_task(name, total=None)
            for number, utterance in enumerate(utterances, 1):
                if not number % EVERY:
                    bars.update(task, completed=number)
                yield utterance

        yield watch
