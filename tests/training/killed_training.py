"""Trains the tiny recipe again and again, ended each time at another moment.

    python killed_training.py DATA_FOLDER RUN_FOLDER

Each try is a fork of this process, which does nothing but the imports: they
cost more than a try. Prints a JSON list: of each try its exit status (minus
the signal that killed it) and the number of epochs that its backup holds.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import keras

sys.path.insert(0, str(Path(__file__).parents[1]))

import tiny  # noqa: E402

from keras_slu.training import callbacks  # noqa: E402
from keras_slu.training import fit  # noqa: E402
from keras_slu.training.run import Run  # noqa: E402

KILLED = 9  # exit code of a try that ended itself


class Signal(keras.callbacks.Callback):
    """Sends a signal to this process in the middle of an epoch."""

    def __init__(self, number, epoch):
        super().__init__()
        self.number = number
        self.epoch = epoch

    def on_epoch_begin(self, epoch, logs=None):
        self.is_time = epoch == self.epoch

    def on_train_batch_end(self, batch, logs=None):
        if self.is_time and batch == 2:
            os.kill(os.getpid(), self.number)
            time.sleep(60)  # no step is taken after the signal


def leave(*_args, **_kwargs):
    os._exit(KILLED)  # as a kill: no clean-up runs


def interrupted():
    return [Signal(signal.SIGINT, epoch=0)]


def killed_in_an_epoch():
    return [Signal(signal.SIGKILL, epoch=1)]


def killed_between_weights_and_state():
    real = callbacks.write_text

    def write_text(path, text):
        if len(json.loads(text)["history"]) == 3:
            leave()
        real(path, text)

    callbacks.write_text = write_text
    return []


def killed_while_the_best_weights_are_written():
    real = callbacks.save_weights

    def save_weights(model, path):
        if Path(path).name == "best.weights.h5":
            with callbacks.atomic_path(path) as temporary:
                temporary.write_bytes(b"half")
                leave()
        real(model, path)

    callbacks.save_weights = save_weights
    return []


def killed_before_the_metrics():
    fit._figures = leave
    return []


MOMENTS = [
    interrupted,
    killed_in_an_epoch,
    killed_between_weights_and_state,
    killed_while_the_best_weights_are_written,
    killed_before_the_metrics,
]


def attempt(moment, data, run):
    # A shell's background job is started with interrupts ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        fit.train(tiny.make_recipe(), data, run, callbacks=moment())
    except KeyboardInterrupt:
        os._exit(130)
    os._exit(0)


def main():
    data, run = sys.argv[1:]
    found = []
    for moment in MOMENTS:
        child = os.fork()
        if child == 0:
            attempt(moment, data, run)
        _, status = os.waitpid(child, 0)
        state = Run(run).backup / "state.json"
        history = json.loads(state.read_text())["history"] if state.exists() else []
        found.append([os.waitstatus_to_exitcode(status), len(history)])
    print(json.dumps(found))


if __name__ == "__main__":
    main()
