"""What a trained model thinks of the training data, for another to learn."""

from dataclasses import replace

import numpy as np
import tensorflow as tf

from keras_slu.data.encoding import LabelSet
from keras_slu.data.encoding import encode
from keras_slu.errors import InputError
from keras_slu.layers.softmax import softmax
from keras_slu.parsing.parser import load_joint_parser
from keras_slu.training.paths import resolve

BATCH_SIZE = 64


def with_soft_labels(recipe, folder, utterances, examples, labels):
    """Adds to examples how probable the recipe's teacher finds each label.

    Args:
        recipe: `Recipe`.
        folder: path that the recipe's paths are relative to.
        utterances: list of `Utterance`, of training.
        examples: their `Examples`.
        labels: `LabelSet`, of the training data.

    Returns:
        `Examples`, as they were without a teacher, else with `soft`. An
        utterance of which the teacher reads only a part has the weight 0.

    Raises:
        InputError: for a teacher that is no finished joint run, needs a
            history, has other labels or reads other words.
    """
    if recipe.distillation is None:
        return examples
    run = resolve(recipe.distillation.teacher, folder)
    teacher = load_joint_parser(run).model
    intents, tags = _places(teacher, labels, run)
    own = LabelSet(teacher.intents, teacher.tags, teacher.intent_head)
    heard = encode(
        utterances, teacher.tokenizer, teacher.vocabulary, own, teacher.max_tokens
    )
    is_same = heard.lengths == examples.lengths
    if not is_same.any():
        raise InputError(
            "the teacher reads other words", "Give it the `text.tokenizer`.", file=run
        )
    width = examples.token_ids.shape[1]
    soft_slots = np.zeros((len(examples), width, len(tags)), np.float32)
    soft_intent = np.zeros((len(examples), len(intents)), np.float32)
    order = np.argsort(heard.lengths, kind="stable")
    for start in range(0, len(order), BATCH_SIZE):
        rows = order[start : start + BATCH_SIZE]
        time = min(heard.lengths[rows].max(), width)
        given = teacher.vocabulary.pack(heard.token_ids[rows][:, :time])
        of_intents, of_tags = _probabilities(teacher, given)
        soft_intent[rows] = of_intents[:, intents]
        soft_slots[rows, :time] = of_tags[..., tags]
    soft = {
        "soft_intent": soft_intent,
        "soft_slots": soft_slots,
        "soft_weight": np.where(is_same, recipe.distillation.weight, 0.0).astype("f"),
    }
    return replace(examples, soft=soft)


def _probabilities(teacher, inputs):
    """`(batch, intents)` and `(batch, words, tags)`, not calibrated; 0 at padding."""
    inputs = {name: tf.convert_to_tensor(values) for name, values in inputs.items()}
    mask = teacher.padding_mask(inputs)
    outputs = teacher(inputs, training=False)
    is_set = teacher.intent_head == "sigmoid"
    intents = (tf.sigmoid if is_set else softmax)(outputs["intent"])
    if teacher.crf is not None:
        tags = teacher.crf.marginals(outputs["slots"], mask)
    else:
        tags = softmax(outputs["slots"]) * tf.cast(mask, "float32")[..., None]
    return intents.numpy(), tags.numpy()


def _places(teacher, labels, run):
    """Where the teacher has each intent and each tag."""
    if teacher.max_history:
        raise InputError("the teacher needs a history", "Name another.", file=run)
    if teacher.intent_head != labels.intent_head:
        raise InputError(
            f"the teacher's `intent_head` is {teacher.intent_head}",
            "Give both models the same.",
            file=run,
        )
    found = []
    for kind, theirs, ours in (
        ("intents", teacher.intents, labels.intents),
        ("tags", teacher.tags, labels.tags),
    ):
        if other := sorted(set(theirs) ^ set(ours)):
            raise InputError(
                f"teacher and training data do not both have the {kind} "
                f"{', '.join(other[:5])}",
                "Train the teacher on these data.",
                file=run,
            )
        found.append([theirs.index(name) for name in ours])
    return found
