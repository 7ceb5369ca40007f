"""Training that goes on from a finished run, with the labels of new data.

What a run has learned keeps its ids; what new data bring comes after. So each
weight that has a side of words, intents or tags grows at that side's end.
"""

from dataclasses import replace

import numpy as np

from keras_slu.data.encoding import LabelSet
from keras_slu.data.encoding import encode
from keras_slu.data.encoding import intent_set
from keras_slu.errors import InputError
from keras_slu.layers.two_channel_embedding import TwoChannelEmbedding
from keras_slu.models import JointSLU
from keras_slu.parsing.parser import load_parser
from keras_slu.text.endings import is_ending
from keras_slu.text.vocabulary import FIRST_WORD
from keras_slu.text.vocabulary import UNKNOWN
from keras_slu.text.vocabulary import Vocabulary
from keras_slu.training.prepare import MODELS
from keras_slu.training.vocabularies import add_tuned_rows

# Settings that no weight depends on; a new training may choose them anew.
FREE = {
    "type",
    "trainable_embedding",
    "channel_dropout",
    "embedding_dropout",
    "dropout",
    "attention_dropout",
    "slot_loss_weight",
    "label_smoothing",
    "keep_bilstm",  # of a pretrained encoder, from which nothing can start
}


def load_start(run, recipe):
    """Loads the model that a recipe goes on from.

    Args:
        run: path of a finished run.
        recipe: `Recipe`.

    Returns:
        `(model, recipe)`: the run's model, and the recipe with its tokenizer
        where the recipe leaves that open.

    Raises:
        InputError: when the recipe's model or tokenizer is another, with key.
    """
    model = load_parser(run).model
    if getattr(model, "reads_pieces", False):
        raise InputError(
            "has a pretrained encoder, and no words that could grow",
            "Train the new data with the same encoder, without --from.",
            file=run,
        )
    if not isinstance(model, JointSLU):
        raise InputError(
            f"is a {type(model).__name__}, whose layers are made for its labels",
            "Train it anew, on all data.",
            file=run,
        )
    text = recipe.text
    if text.tokenizer == "auto":
        text = text.model_copy(update={"tokenizer": model.tokenizer.mode})
    recipe = recipe.model_copy(update={"text": text})
    for key, (learned, wanted) in _architecture(model, recipe).items():
        if learned != wanted:
            raise InputError(
                f"was trained with `{key}` {learned}, the recipe has {wanted}",
                "Make the recipe's the same, or train without --from.",
                file=run,
            )
    return model, recipe


def _architecture(model, recipe):
    """What must be the same, by its key: the model's and the recipe's."""
    types = {made: name for name, made in MODELS.items()}
    config = {"intent_head": model.intent_head, **model.get_config()}
    return {
        "model.type": (types.get(type(model)), recipe.model.type),
        "text.tokenizer": (model.tokenizer.mode, recipe.text.tokenizer),
        "text.lowercase": (model.tokenizer.lowercase, recipe.text.lowercase),
        "text.word_vectors.use: static": (
            model.encoder.static_dim > 0,
            recipe.has_static_vectors,
        ),
        **{
            f"model.{key}": (config.get(key), value)
            for key, value in recipe.model.model_dump(exclude=FREE).items()
        },
    }


def grow(prepared, model, max_tokens):
    """Puts a model's words and labels before those of new data.

    Args:
        prepared: `Prepared`, of the new data alone.
        model: `JointSLU` that was trained before.
        max_tokens: int. Longer utterances are cut.

    Returns:
        `Prepared`, in which every word, intent and tag of `model` has the id
        that it has there.

    Raises:
        InputError: for word vectors of another width than the model's.
    """
    labels = grow_labels(model, prepared.labels)
    known = set(model.vocabulary.words)
    # No endings: nothing has taught the model any that it lacks.
    heard = prepared.vocabulary.words
    new = [word for word in heard if word not in known and not is_ending(word)]
    vocabulary = Vocabulary([*model.vocabulary.words, *new])
    examples = {
        split: encode(of_split, model.tokenizer, vocabulary, labels, max_tokens)
        for split, of_split in prepared.utterances.items()
    }
    counts = np.bincount(examples["train"].token_ids.ravel(), minlength=len(vocabulary))
    vocabulary.counts = np.r_[0, counts[1:]]  # padding is no word
    return replace(
        prepared,
        examples=examples,
        labels=labels,
        tokenizer=model.tokenizer,
        vocabulary=vocabulary,
        vectors=_grow_vectors(prepared, vocabulary, model.encoder.static_dim),
        tuned_rows=add_tuned_rows(_learned_rows(model), vocabulary.counts),
    )


def grow_labels(model, labels):
    """The `LabelSet` of a model's labels and, after them, new ones.

    A class of several intents is the same in any order, as the model spells it.
    """
    known = {frozenset(intent_set(name)) for name in model.intents}
    intents = [
        name for name in labels.intents if frozenset(intent_set(name)) not in known
    ]
    tags = [tag for tag in labels.tags if tag not in model.tags]
    return LabelSet(
        [*model.intents, *intents], [*model.tags, *tags], labels.intent_head
    )


def _learned_rows(model):
    """The rows of a model's words in the tuned channel, where it has one."""
    embedding = model.encoder.embedding
    has_two = isinstance(embedding, TwoChannelEmbedding)
    return embedding.rows.numpy() if has_two else [0, UNKNOWN]


def _grow_vectors(prepared, vocabulary, static_dim):
    """The new data's word vectors in their new places; other rows are to come."""
    if prepared.vectors is None:
        return None
    width = prepared.vectors.shape[1]
    if static_dim not in (0, width):
        raise InputError(
            f"word vectors of {width} numbers, the run's are of {static_dim}",
            "Name the run's in `text.word_vectors.path`, or train without --from.",
        )
    vectors = np.zeros((len(vocabulary), width), np.float32)
    vectors[vocabulary.ids(prepared.vocabulary.words)] = prepared.vectors[FIRST_WORD:]
    return vectors


def keep_learned(model, learned):
    """Gives a grown model the weights of the one that it grew from.

    New words keep the embedding that `model` has for them; where there are two
    channels, what is new in the tuned one starts as the unknown word. New
    labels start with weights of zero: they take no part in the logits of the
    old ones. With label attention they do by a little, for they add `exp(0)` to
    the sum over the labels.

    Args:
        model: `JointSLU`, fresh, over the labels and words of `grow`.
        learned: `JointSLU` as given to `grow`.
    """
    heads = model.intent_logits.weights + model.slot_logits.weights
    embedding = model.encoder.embedding
    for new, old in zip(model.weights, learned.weights, strict=True):
        if new is getattr(embedding, "rows", None):
            continue  # `grow` has said which they are
        value = np.array(new.numpy())
        if any(new is weight for weight in heads):
            value[:] = 0.0
        elif new is getattr(embedding, "tuned", None):
            value[:] = old.numpy()[UNKNOWN]
        value[tuple(map(slice, old.shape))] = old.numpy()
        new.assign(value)
