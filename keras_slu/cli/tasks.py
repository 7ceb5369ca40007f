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
    if name == "punctuation":
        from keras_slu.cli.mark_figures import print_mark_figures
        from keras_slu.training.punctuation import SHOWN
        from keras_slu.training.punctuation import train

        hint = "echo 'some text' | keras-slu punctuate {run}"
        return Task(train, SHOWN, print_mark_figures, hint)
    if name == "translation":
        from keras_slu.cli.translation_figures import print_translation_figures
        from keras_slu.training.translation import SHOWN
        from keras_slu.training.translation import train

        hint = "echo 'some text' | keras-slu translate {run}"
        return Task(train, SHOWN, print_translation_figures, hint)
    if name == "skills":
        from keras_slu.cli.skill_figures import print_skill_figures
        from keras_slu.training.skills import SHOWN
        from keras_slu.training.skills import train

        return Task(train, SHOWN, print_skill_figures, "keras-slu skills show {run}")
    from keras_slu.cli.scores import print_figures
    from keras_slu.training.fit import train
    from keras_slu.training.progress import JOINT

    return Task(train, JOINT, print_figures, "keras-slu predict {run} 'some text'")
