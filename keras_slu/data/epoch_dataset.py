"""The epochs of a loader of batches as a `tf.data.Dataset`."""

import tensorflow as tf

# One batch waits while the model takes a step, and one is being made.
_BUFFER = 2


def epoch_dataset(loader, signature):
    """A `tf.data.Dataset` that makes the batches of one epoch in a thread.

    tf.data's autotuning is off. Its thread waits for up to a minute between two
    looks at the pipeline, and can miss that an iterator ends: deleting the iterator
    then waits for it. On two cores most epochs ended with 10 to 20 idle seconds
    (TensorFlow 2.20), and one generator leaves nothing to tune.

    Args:
        loader: has `batches(epoch)`, an iterator of an epoch's batches, the number
            `epoch`, and the number of batches as its length.
        signature: the `tf.TensorSpec`s of a batch.

    Returns:
        The dataset. Each pass over it gives the epoch that `loader.epoch` names then.
    """
    dataset = tf.data.Dataset.from_generator(
        lambda: loader.batches(loader.epoch), output_signature=signature
    )
    dataset = dataset.apply(tf.data.experimental.assert_cardinality(len(loader)))
    options = tf.data.Options()
    options.autotune.enabled = False
    return dataset.prefetch(_BUFFER).with_options(options)
