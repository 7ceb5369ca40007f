"""What TensorBoard shows of a training, next to the logs."""

import keras
import numpy as np
import tensorflow as tf
from tensorboard.plugins.hparams import api as hparams

from keras_slu.data.encoding import tokens_of
from keras_slu.data.tags import chunks
from keras_slu.parsing.scoring import gold_labels
from keras_slu.training.pictures import attention_maps
from keras_slu.training.pictures import attention_picture
from keras_slu.training.pictures import can_draw
from keras_slu.training.pictures import confusion_picture

PROFILED = (5, 14)  # batches; the first ones trace the graph
EVERY = 5  # epochs from one set of pictures to the next
SHOWN_ERRORS = 10
LONGEST_PICTURE = 20  # words
# Characters that Markdown or HTML would read.
MARKUP = {ord(c): f"&#{ord(c)};" for c in "&<>|*_`[]\\#~"}


def scalar_boards(folder, profile):
    """TensorBoard's scalars: all that a task without pictures has."""
    return [
        keras.callbacks.TensorBoard(
            folder,
            write_graph=False,
            profile_batch=PROFILED if profile else 0,
        )
    ]


def tensorboard_callbacks(folder, recipe, prepared, batches, predicted, profile=False):
    """Makes the callbacks that write a training's TensorBoard files.

    They come after `EpochTime` and `DevScores`, whose logs they read.

    Args:
        folder: path of the folder to write to.
        recipe: `Recipe`; its settings are the hyper-parameters.
        prepared: `Prepared`.
        batches: `TrainingBatches`.
        predicted: list that holds the `Labels` of dev, anew after each epoch.
        profile: bool. Whether to profile ten batches. Defaults to `False`.

    Returns:
        list of Keras callbacks.
    """
    writer = tf.summary.create_file_writer(str(folder))
    return [
        StepFigures(batches),
        *scalar_boards(folder, profile),
        hparams.KerasCallback(
            writer,
            flat_settings(recipe.model_dump(mode="json")),
            trial_id=f"{recipe.name}-seed{recipe.seed}",
        ),
        DevSummaries(writer, prepared, predicted),
    ]


def flat_settings(settings):
    """Settings as one dict of the kinds of values that HParams takes.

    >>> flat_settings({"model": {"dim": 8, "order": None}, "keep": [1, 2]})
    {'model.dim': 8, 'model.order': 'None', 'keep': '[1, 2]'}
    """
    flat = {}
    for name, value in settings.items():
        if isinstance(value, dict):
            inner = flat_settings(value).items()
            flat.update({f"{name}.{key}": item for key, item in inner})
        else:
            is_plain = isinstance(value, (bool, int, float, str))
            flat[name] = value if is_plain else str(value)
    return flat


class StepFigures(keras.callbacks.Callback):
    """Adds `examples_per_second` and `gradient_norm` to an epoch's logs.

    The norm is that of one batch at the epoch's end, of all gradients
    together and before clipping. It costs one step more an epoch, and no
    second trace of the model, for it runs eagerly.

    Args:
        batches: `TrainingBatches`.
    """

    def __init__(self, batches):
        super().__init__()
        self.batches = batches

    def on_epoch_end(self, epoch, logs=None):
        logs["examples_per_second"] = len(self.batches.examples) / logs["seconds"]
        batch = next(self.batches.batches(epoch))
        logs["gradient_norm"] = gradient_norm(self.model, *batch)


def gradient_norm(model, inputs, labels, sample_weight):
    """The norm of the training loss's gradient over one batch.

    Args:
        model: `JointSLU`.
        inputs, labels, sample_weight: as `TrainingBatches.batches` gives them.

    Returns:
        float.
    """
    inputs, labels = (
        {name: tf.constant(value) for name, value in part.items()}
        for part in (inputs, labels)
    )

    def norm():
        variables = [variable.value for variable in model.trainable_variables]
        with tf.GradientTape() as tape:
            outputs = model(inputs, training=True)
            losses = model.utterance_losses(inputs, labels, outputs)
            loss = tf.reduce_mean(losses * sample_weight)
        # A batch of first turns leaves the weights for the history out.
        gradients = tape.gradient(
            loss, variables, unconnected_gradients=tf.UnconnectedGradients.ZERO
        )
        return tf.linalg.global_norm([tf.convert_to_tensor(g) for g in gradients])

    # Each replica finds the same; outside of one, mirrored weights cannot be read.
    strategy = model.distribute_strategy
    norms = strategy.experimental_local_results(strategy.run(norm))
    return float(norms[0])


class DevSummaries(keras.callbacks.Callback):
    """Writes dev errors as text, confusions and attention as images.

    At the first epoch, every fifth one after it, and the last. The attention
    is that over one dev utterance, always the same, the one with the most
    slots. Without matplotlib a note stands for the images.

    Args:
        writer: `tf.summary.SummaryWriter`.
        prepared: `Prepared`.
        predicted: list that holds the `Labels` of dev after each epoch.
    """

    def __init__(self, writer, prepared, predicted):
        super().__init__()
        self.writer = writer
        self.predicted = predicted
        utterances = prepared.utterances["dev"]
        self.gold = gold_labels(utterances, prepared.tokenizer)
        self.words = [
            [token.text for token in tokens_of(utterance, prepared.tokenizer)]
            for utterance in utterances
        ]
        self.pictured = self._richest()
        self.token_ids = prepared.examples["dev"].token_ids[self.pictured]

    def _richest(self):
        """The place of the dev utterance that the attention is shown of."""
        slots = [
            len(chunks(labels.tags)) if 0 < len(words) <= LONGEST_PICTURE else -1
            for labels, words in zip(self.gold, self.words, strict=True)
        ]
        return int(np.argmax(slots))

    def on_train_begin(self, logs=None):
        if not can_draw():
            note = "Images need matplotlib: pip install 'keras-slu[report]'."
            with self.writer.as_default(step=0):
                tf.summary.text("images", note)

    def on_epoch_end(self, epoch, logs=None):
        is_last = epoch + 1 == self.params["epochs"] or self.model.stop_training
        if epoch % EVERY and not is_last:
            return
        with self.writer.as_default(step=epoch):
            errors = errors_table(self.words, self.gold, self.predicted)
            tf.summary.text("dev_errors", errors)
            if can_draw():
                self._write_pictures()
        self.writer.flush()

    def _write_pictures(self):
        names = [
            ["#".join(sorted(labels.intents)) or "(none)" for labels in side]
            for side in (self.gold, self.predicted)
        ]
        tf.summary.image("dev_confusion", confusion_picture(*names)[None])
        words = self.words[self.pictured]
        maps = attention_maps(self.model, self.token_ids[: len(words)])
        if maps:
            tf.summary.image("dev_attention", attention_picture(words, maps)[None])


def errors_table(words, gold, predicted):
    """A Markdown table of the first dev utterances that are wrong.

    Args:
        words: list of lists of str.
        gold, predicted: lists of `Labels`, as many.

    Returns:
        str.
    """
    rows = ["| utterance | gold | predicted |", "|---|---|---|"]
    for of_one, wanted, given in zip(words, gold, predicted, strict=True):
        sides = [_meaning(of_one, labels) for labels in (wanted, given)]
        if sides[0] != sides[1]:
            cells = (" ".join(of_one), *sides)
            rows.append(f"| {' | '.join(cell.translate(MARKUP) for cell in cells)} |")
        if len(rows) == SHOWN_ERRORS + 2:
            break
    return "\n".join(rows)


def _meaning(words, labels):
    slots = [
        f"{name}={' '.join(words[first:end])!r}"
        for name, first, end in chunks(labels.tags)
    ]
    return "; ".join(["#".join(sorted(labels.intents)) or "(none)", *slots])
