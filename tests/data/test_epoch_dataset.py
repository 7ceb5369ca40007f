"""Tests for epochs as a tf.data.Dataset."""

import tensorflow as tf

from keras_slu.data.epoch_dataset import epoch_dataset


class Loader:
    """Three batches of two numbers, other ones in each epoch."""

    epoch = 0

    def __len__(self):
        return 3

    def batches(self, epoch):
        for step in range(3):
            yield [100 * epoch + step, -step]


SIGNATURE = tf.TensorSpec((2,), tf.int32)


def test_each_pass_gives_the_epoch_that_the_loader_names():
    loader = Loader()
    dataset = epoch_dataset(loader, SIGNATURE)
    first = [batch.numpy().tolist() for batch in dataset]
    loader.epoch = 7
    later = [batch.numpy().tolist() for batch in dataset]
    assert first == [[0, 0], [1, -1], [2, -2]]
    assert later == [[700, 0], [701, -1], [702, -2]]


def test_the_number_of_batches_is_known():
    assert epoch_dataset(Loader(), SIGNATURE).cardinality().numpy() == 3


def test_no_thread_of_autotuning_can_hold_the_end_of_an_epoch():
    options = epoch_dataset(Loader(), SIGNATURE).options()
    assert options.autotune.enabled is False
    distributed = tf.distribute.get_strategy().experimental_distribute_dataset(
        epoch_dataset(Loader(), SIGNATURE)
    )
    assert len(list(distributed)) == 3
