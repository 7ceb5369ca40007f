"""What a training step of SkillNet costs, by the number of active skills.

    python benchmarks/skill_steps.py

A model of 7 skills and one of 30 train the same task with 1 to 7 of them
active. If idle skills cost nothing, a step of both takes the same. The least
of many steps counts, of batches of the same shape, by the clock and in the time
of all cores together, which a busy machine changes less. The last lines fit a
straight line to the latter.
"""

import time

import keras
import numpy as np

from keras_slu.models import SkillNet
from keras_slu.models import SkillTask

TOTALS = (7, 30)
ACTIVE = (1, 2, 4, 7)
BATCH, PIECES = 16, 64
SIZES = {"vocabulary_size": 6000, "dim": 128, "inner_dim": 512, "num_layers": 4}
STEPS = 8  # of which the first two, with the trace, do not count
REPEATS = 5  # passes over all cases, so that a busy moment hits no case alone


class StepTimes(keras.callbacks.Callback):
    """Milliseconds of each step, `(by the clock, of all cores)`."""

    def __init__(self):
        super().__init__()
        self.times = []

    def on_train_batch_begin(self, batch, logs=None):
        self.start = time.perf_counter(), time.process_time()

    def on_train_batch_end(self, batch, logs=None):
        now = time.perf_counter(), time.process_time()
        self.times.append(1e3 * (np.array(now) - self.start))


def make_model(total):
    """A model with a task for each number of active skills."""
    names = [f"s{number + 1}" for number in range(total)]
    tasks = [
        SkillTask(f"of-{active}", "classification", ("no", "yes"), names[:active])
        for active in ACTIVE
    ]
    return SkillNet(tasks, names, num_heads=4, max_pieces=PIECES, **SIZES)


def step_times(model, place):
    """The times of training steps of one task, `(steps, 2)`."""
    random = np.random.default_rng(0)
    rows = BATCH * STEPS
    empty = np.zeros((rows, 0), "int32")
    inputs = {
        "pieces": random.integers(1, SIZES["vocabulary_size"], (rows, PIECES), "int32"),
        "segments": np.zeros((rows, PIECES), "int32"),
        "words": empty,
        "second": empty,
        "task": np.full(rows, place, "int32"),
    }
    labels = random.integers(0, 2, (rows, 1), "int32")
    times = StepTimes()
    model.fit(inputs, labels, batch_size=BATCH, verbose=0, callbacks=[times])
    return np.array(times.times[2:])


def main():
    found = {}
    models = {total: make_model(total) for total in TOTALS}
    for _ in range(REPEATS):
        for place, active in enumerate(ACTIVE):
            for total, model in models.items():
                case = total, active
                found.setdefault(case, []).extend(step_times(model, place))
    found = {case: np.min(times, axis=0) for case, times in found.items()}
    print("                parameters  active      ms a step      ms an example")
    print("skills  active     (M)       (M)      clock   cores    clock   cores")
    for (total, active), least in sorted(found.items()):
        model = models[total]
        print(
            f"{total:6d}  {active:6d}  {model.count_params() / 1e6:8.2f}  "
            f"{model.active_parameters(f'of-{active}') / 1e6:8.2f}  "
            f"{least[0]:9.1f}  {least[1]:6.1f}  "
            f"{least[0] / BATCH:7.2f}  {least[1] / BATCH:6.2f}"
        )
    for total in TOTALS:
        times = [found[total, active][1] for active in ACTIVE]
        slope, base = np.polyfit(ACTIVE, times, 1)
        print(f"{total} skills: {base:.1f} ms + {slope:.1f} ms for each active skill")


if __name__ == "__main__":
    main()
