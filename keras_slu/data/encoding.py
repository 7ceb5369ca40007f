"""Utterances as arrays of ids."""

from dataclasses import dataclass

import numpy as np

from keras_slu.data.alignment import bio_tags
from keras_slu.data.tags import tag_names
from keras_slu.text.vocabulary import UNKNOWN

UNSEEN = -1  # a label that training lacks, or padding


@dataclass(frozen=True)
class LabelSet:
    """All labels that a model knows: those of its training data.

    Args:
        intents: list of str. One a set of intents, spelled as first seen,
            several joined by `#`; `""` where utterances had none.
        tags: list of str. BIO tags, `O` first.
    """

    intents: list[str]
    tags: list[str]


@dataclass(frozen=True)
class Examples:
    """Encoded utterances, one a row, padded to the longest.

    Args:
        token_ids: int32 `(utterances, time)`, 0 at padding.
        slots: int32 `(utterances, time)`, tag ids, -1 at padding and unseen.
        intent: int32 `(utterances,)`, -1 where unseen.
        lengths: int32 `(utterances,)`, at least 1.
        truncated: bool `(utterances,)`, where tokens were cut.
    """

    token_ids: np.ndarray
    slots: np.ndarray
    intent: np.ndarray
    lengths: np.ndarray
    truncated: np.ndarray

    def __len__(self):
        return len(self.lengths)


def intent_set(name):
    """The intents that a class of the intent head stands for.

    >>> intent_set("flight#airfare"), intent_set("")
    (('flight', 'airfare'), ())
    """
    return tuple(name.split("#")) if name else ()


def tokens_of(utterance, tokenizer):
    """The utterance's own tokens, or those that the tokenizer finds."""
    return utterance.tokens or tokenizer.tokenize(utterance.text)


def training_labels(utterances, tokenizer):
    """Collects the labels of training data.

    Args:
        utterances: list of `Utterance`.
        tokenizer: `Tokenizer`, for those that come without tokens.

    Returns:
        `LabelSet`. Only tags that occur are in it.
    """
    intents = {}
    tags = {"O"}
    for utterance in utterances:
        intents.setdefault(frozenset(utterance.intents), "#".join(utterance.intents))
        tags.update(bio_tags(utterance, tokens_of(utterance, tokenizer)))
    names = {tag[2:] for tag in tags if tag != "O"}
    return LabelSet(
        intents=sorted(intents.values()),
        tags=[tag for tag in tag_names(names) if tag in tags],
    )


def encode_words(words, tokenizer, vocabulary, max_tokens):
    """Turns one utterance's words into ids; no words become one unknown.

    Returns:
        `(ids, truncated)`: int32 array of at most `max_tokens`, and whether
        words were cut.
    """
    ids = vocabulary.ids([tokenizer.fold(word) for word in words[:max_tokens]])
    if not len(ids):
        ids = np.array([UNKNOWN], np.int32)
    return ids, len(words) > max_tokens


def pad_rows(rows, fill, length=None):
    """Stacks one-dimensional arrays, padded on the right, as int32."""
    length = length or max(map(len, rows))
    stacked = np.full((len(rows), length), fill, np.int32)
    for place, row in enumerate(rows):
        stacked[place, : len(row)] = row
    return stacked


def encode(utterances, tokenizer, vocabulary, labels, max_tokens):
    """Encodes labelled utterances.

    Args:
        utterances: list of `Utterance`, not empty.
        tokenizer: `Tokenizer`.
        vocabulary: `Vocabulary`.
        labels: `LabelSet` of the training data.
        max_tokens: int. Longer utterances are cut.

    Returns:
        `Examples`.

    Raises:
        InputError: for a slot that does not sit on tokens.
    """
    tag_ids = {tag: place for place, tag in enumerate(labels.tags)}
    intent_ids = {
        frozenset(intent_set(name)): place for place, name in enumerate(labels.intents)
    }
    ids, slots, truncated = [], [], []
    for utterance in utterances:
        tokens = tokens_of(utterance, tokenizer)
        words = [token.text for token in tokens]
        row, cut = encode_words(words, tokenizer, vocabulary, max_tokens)
        tags = bio_tags(utterance, tokens)[:max_tokens] or ["O"]
        ids.append(row)
        slots.append([tag_ids.get(tag, UNSEEN) for tag in tags])
        truncated.append(cut)
    return Examples(
        token_ids=pad_rows(ids, 0),
        slots=pad_rows(slots, UNSEEN),
        intent=np.array(
            [intent_ids.get(frozenset(u.intents), UNSEEN) for u in utterances],
            np.int32,
        ),
        lengths=np.array([len(row) for row in ids], np.int32),
        truncated=np.array(truncated, bool),
    )
