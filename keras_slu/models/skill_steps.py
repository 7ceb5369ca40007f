"""Steps of `fit` and `evaluate` for a model of many tasks, one traced a task.

One graph that switches between the tasks would give what a task does not use
gradients of zero, which an optimizer's moments and weight decay act on.
"""

import keras
import numpy as np


def steps_by_task(model, step):
    """A function for Keras' loops that runs the step of the batch's task.

    Args:
        model: `SkillNet`.
        step: function of `(model, data, task)`, such as `train_step`.

    Returns:
        function of a data iterator. It raises `ValueError` for a batch that
        mixes tasks, before anything moves.
    """
    functions = {}

    def function(iterator):
        data = next(iterator)
        task = _task_of_batch(model, data)
        if task not in functions:
            functions[task] = _make_function(model, step, task, data)
        return functions[task](data)

    return function


def _make_function(model, step, task, data):
    """The step of a task as a function of batches with the structure of `data`."""

    def run(data):
        return step(model, data, task)

    if model.run_eagerly or model.distribute_strategy.num_replicas_in_sync > 1:
        # Keras' own, which knows about replicas and eager mode.
        function = model._make_function(run)
        return lambda data: function(iter([data]))
    # One trace, which knows no sizes. Traces for lengths, as Keras would make,
    # round otherwise, and a resumed training has them of other batches.
    import tensorflow as tf

    def without_sizes(array):
        return tf.TensorSpec([None] * len(array.shape), array.dtype)

    signature = tf.nest.map_structure(without_sizes, data)
    return tf.function(run, input_signature=[signature])


def train_step(model, data, task):
    """One step of the optimizer over the variables that a task trains."""
    import tensorflow as tf

    variables = model.trained_variables(task)
    with tf.GradientTape() as tape:
        loss = model.optimizer.scale_loss(_loss(model, data, task, training=True))
    gradients = tape.gradient(loss, [variable.value for variable in variables])
    # Dense, also those of embeddings: whether an optimizer updates a table by
    # rows would depend on which task was traced first.
    gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
    model.optimizer.apply(gradients, variables)
    return model.get_metrics_result()


def score_step(model, data, task):
    """The loss of a batch."""
    _loss(model, data, task, training=False)
    return model.get_metrics_result()


def _loss(model, data, task, training):
    inputs, targets, weights = keras.utils.unpack_x_y_sample_weight(data)
    outputs = model(inputs, task=task, training=training)
    losses = model.losses_of(task, inputs, targets, outputs)
    # What is logged is not scaled for the number of replicas, as the loss is.
    model._loss_tracker.update_state(losses, sample_weight=weights)
    return model.utterance_mean(losses, losses, weights)


def _task_of_batch(model, data):
    places = data[0]["task"]
    local = model.distribute_strategy.experimental_local_results(places)
    places = np.unique(np.concatenate([np.asarray(part) for part in local]))
    tasks = [model.tasks[place].name for place in places]
    if len(tasks) != 1:
        raise ValueError(f"A batch must be of one task. Received: {tasks}")
    return tasks[0]
