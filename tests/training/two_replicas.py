"""Trains the tiny recipe on one and on two logical CPU devices.

    python two_replicas.py DATA_FOLDER RUNS_FOLDER

The runs are `one_device` and `mirrored`. Prints the message that a batch size
gives which two replicas cannot share.
"""

import sys
from pathlib import Path

import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parents[1]))

import tiny  # noqa: E402

from keras_slu.errors import InputError  # noqa: E402
from keras_slu.training.fit import train  # noqa: E402
from keras_slu.training.loop import make_strategy  # noqa: E402

NO_DROPOUT = {"embedding_dropout": 0.0, "dropout": 0.0}


def main():
    data, runs = map(Path, sys.argv[1:])
    [cpu] = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * 2
    )
    for strategy, replicas in (("one_device", None), ("mirrored", 2)):
        recipe = tiny.make_recipe(NO_DROPOUT, {"strategy": strategy, "epochs": 2})
        made = make_strategy(recipe.training)
        assert (made and made.num_replicas_in_sync) == replicas
        train(recipe, data, runs / strategy)
    recipe = tiny.make_recipe(training={"strategy": "mirrored", "batch_size": 9})
    try:
        train(recipe, data, runs / "uneven")
    except InputError as error:
        print(error)


if __name__ == "__main__":
    main()
