"""How many cores there are, and how many threads of them an operation gets."""

import os

VARIABLE = "TF_NUM_INTRAOP_THREADS"  # TensorFlow reads it when it begins
FEW_CORES = 4


def usable_cores():
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def spare_threads(*recipes):
    """Gives each operation of small models one thread, on few cores.

    Without a pretrained encoder, a joint model's operations are so small that
    splitting them costs more than it gains, while there are enough of them to
    run side by side. To be called before TensorFlow begins; who has set the
    variable has chosen.

    Args:
        recipes: recipes of any task, of all that the process is to train.
    """
    are_small = all(r.task == "joint" and r.encoder is None for r in recipes)
    if are_small and usable_cores() <= FEW_CORES:
        os.environ.setdefault(VARIABLE, "1")
