"""Live progress of a training in the terminal."""

import atexit

import keras
from rich.console import Console
from rich.progress import BarColumn
from rich.progress import MofNCompleteColumn
from rich.progress import Progress as Bars
from rich.progress import TextColumn
from rich.progress import TimeRemainingColumn

JOINT = {
    "overall_accuracy": "overall",
    "intent_accuracy": "intent",
    "slot_f1": "slot F1",
}


class Progress(keras.callbacks.Callback):
    """One bar for the epoch in hand, one line for each that is done.

    Where the output is no terminal, the lines alone are printed.

    Args:
        shown: dict, the dev figures that each line shows, in percent, and what
            they are called there; the best of the first is marked. Defaults
            to a joint model's.
        console: `rich.console.Console`. Defaults to standard output's.
    """

    def __init__(self, shown=JOINT, console=None):
        super().__init__()
        self.shown = shown
        self.console = console or Console()
        self.best = -1.0

    def on_train_begin(self, logs=None):
        self.bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.3f}"),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
            disable=not self.console.is_terminal,
        )
        self.bars.start()
        # An interrupted fit ends no training; the cursor must come back even so.
        atexit.register(self.bars.stop)
        self.task = self.bars.add_task("", loss=0.0)

    def on_epoch_begin(self, epoch, logs=None):
        self.bars.reset(
            self.task,
            total=self.params.get("steps"),
            description=f"epoch {epoch + 1}/{self.params['epochs']}",
        )

    def on_train_batch_end(self, batch, logs=None):
        self.bars.update(self.task, completed=batch + 1, loss=float(logs["loss"]))

    def on_epoch_end(self, epoch, logs=None):
        selected = logs[f"val_{next(iter(self.shown))}"]
        better = selected > self.best
        self.best = max(self.best, selected)
        figures = "  ".join(
            f"{title} {100 * logs[f'val_{name}']:6.2f}"
            for name, title in self.shown.items()
        )
        self.console.print(
            f"epoch {epoch + 1:3d}  loss {logs['loss']:7.3f}  dev {figures}  "
            f"{logs['seconds']:6.1f} s{'  best' if better else ''}",
            highlight=False,
            soft_wrap=True,
        )

    def on_train_end(self, logs=None):
        self.bars.stop()
        atexit.unregister(self.bars.stop)
