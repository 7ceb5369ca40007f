"""Live progress of a training in the terminal."""

import atexit

import keras
from rich.console import Console
from rich.progress import BarColumn
from rich.progress import MofNCompleteColumn
from rich.progress import Progress as Bars
from rich.progress import TextColumn
from rich.progress import TimeRemainingColumn


class Progress(keras.callbacks.Callback):
    """One bar for the epoch in hand, one line for each that is done.

    Where the output is no terminal, the lines alone are printed.

    Args:
        console: `rich.console.Console`. Defaults to standard output's.
    """

    def __init__(self, console=None):
        super().__init__()
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
        better = logs["val_overall_accuracy"] > self.best
        self.best = max(self.best, logs["val_overall_accuracy"])
        self.console.print(
            f"epoch {epoch + 1:3d}  loss {logs['loss']:7.3f}  dev "
            f"overall {100 * logs['val_overall_accuracy']:6.2f}  "
            f"intent {100 * logs['val_intent_accuracy']:6.2f}  "
            f"slot F1 {100 * logs['val_slot_f1']:6.2f}  "
            f"{logs['seconds']:6.1f} s{'  best' if better else ''}",
            highlight=False,
            soft_wrap=True,
        )

    def on_train_end(self, logs=None):
        self.bars.stop()
        atexit.unregister(self.bars.stop)
