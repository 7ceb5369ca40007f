"""What trains a recipe of each task and shows how it went."""

from collections.abc import Callable
from typing import NamedTuple


class Task(NamedTuple):
    """What the command line needs of a task.

    Args:
        train: function of `(recipe, folder, run, callbacks=, profile=)` that
            gives the run's figures.
        shown: dict, the dev figures of a progress line and their titles.
        print_figures: function that prints the run's figures.
        hint: str. A command to try with `{run}`.
    """

    train: Callable
    shown: dict[str, str]
    print_figures: Callable
    hint: str


def load_task(name):
    """Imports what a task needs, and nothing of the others."""
    from keras_slu.cli.scores import print_figures
    from keras_slu.training.fit import train
    from keras_slu.training.progress import JOINT

    return Task(train, JOINT, print_figures, "keras-slu predict {run} 'some text'")
