"""Utterances as arrays of ids."""

from dataclasses import dataclass
from dataclasses import field

import numpy as np

from keras_slu.data.alignment import bio_tags
from keras_slu.data.tags import tag_names
from keras_slu.text.vocabulary import UNKNOWN

UNSEEN = -1  # a label that training lacks, or padding


@dataclass(frozen=True)
class LabelSet:
    """All labels that a model knows: those of its training data.

    Args:
        intents: list of str. Of a softmax, one a set of intents, spelled as
            first seen, several joined by `#`; `""` where utterances had none.
            Of a sigmoid, the single intents.
        tags: list of str. BIO tags, `O` first.
        intent_head: str. `"softmax"` or `"sigmoid"`, what the intents are for.
    """

    intents: list[str]
    tags: list[str]
    intent_head: str = "softmax"

    def intent_labels(self, utterances):
        """Labels of the intent head, int32.

        Args:
            utterances: list of `Utterance`.

        Returns:
            int32 array: of a softmax `(utterances,)`, the class; of a sigmoid
            `(utterances, intents)`, 1 at each intent, else 0. All -1 where
            training has not seen the set, or one of the intents.
        """
        wanted = [frozenset(utterance.intents) for utterance in utterances]
        if self.intent_head == "softmax":
            classes = {
                frozenset(intent_set(name)): place
                for place, name in enumerate(self.intents)
            }
            return np.array([classes.get(names, UNSEEN) for names in wanted], np.int32)
        rows = [
            [name in names for name in self.intents]
            if names <= set(self.intents)
            else [UNSEEN] * len(self.intents)
            for names in wanted
        ]
        return np.array(rows, np.int32)


@dataclass(frozen=True)
class Examples:
    """Encoded utterances, one a row, padded to the longest.

    Args:
        token_ids: int32 `(utterances, time)`, 0 at padding.
        slots: int32 `(utterances, time)`, tag ids, -1 at padding and unseen.
        intent: int32 `(utterances,)` or, for a sigmoid, `(utterances,
            intents)`; see `LabelSet.intent_labels`.
        lengths: int32 `(utterances,)`, at least 1.
        truncated: bool `(utterances,)`, where tokens were cut.
        history: dict of what was said before, see `encode_histories`; empty
            for models that do not ask.
        soft: dict of what a teacher thinks of the labels, empty without one:
            `soft_intent` `(utterances, intents)` and `soft_slots` `(utterances,
            time, tags)`, probabilities, and `soft_weight` `(utterances,)`,
            float32.
    """

    token_ids: np.ndarray
    slots: np.ndarray
    intent: np.ndarray
    lengths: np.ndarray
    truncated: np.ndarray
    history: dict = field(default_factory=dict)
    soft: dict = field(default_factory=dict)

    def __len__(self):
        return len(self.lengths)

    def rows(self):
        """The token ids of each utterance without padding, a list of arrays."""
        pairs = zip(self.token_ids, self.lengths, strict=True)
        return [row[:length] for row, length in pairs]


def intent_set(name):
    """The intents that a class of the intent head stands for.

    >>> intent_set("flight#airfare"), intent_set("")
    (('flight', 'airfare'), ())
    """
    return tuple(name.split("#")) if name else ()


def tokens_of(utterance, tokenizer):
    """The utterance's own tokens, or those that the tokenizer finds."""
    return utterance.tokens or tokenizer.tokenize(utterance.text)


def training_labels(utterances, tokenizer, intent_head="softmax"):
    """Collects the labels of training data.

    Args:
        utterances: list of `Utterance`.
        tokenizer: `Tokenizer`, for those that come without tokens.
        intent_head: str. See `LabelSet`. Defaults to `"softmax"`.

    Returns:
        `LabelSet`. Only tags that occur are in it.
    """
    intents = {}
    tags = {"O"}
    for utterance in utterances:
        names = utterance.intents
        sets = [names] if intent_head == "softmax" else [(name,) for name in names]
        for of_class in sets:
            intents.setdefault(frozenset(of_class), "#".join(of_class))
        tags.update(bio_tags(utterance, tokens_of(utterance, tokenizer)))
    names = {tag[2:] for tag in tags if tag != "O"}
    return LabelSet(
        intents=sorted(intents.values()),
        tags=[tag for tag in tag_names(names) if tag in tags],
        intent_head=intent_head,
    )


def encode_words(words, tokenizer, vocabulary, max_tokens):
    """Turns one utterance's words into ids; no words become one unknown.

    Returns:
        `(ids, truncated)`: int32 array of at most `max_tokens`, and whether
        words were cut.
    """
    folded = [tokenizer.fold(word) for word in words[:max_tokens]]
    folded = folded[: vocabulary.fitting(folded)]
    if not folded:
        return np.array([UNKNOWN], np.int32), bool(words)
    return vocabulary.ids(folded), len(words) > len(folded)


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
    ids, slots, truncated = [], [], []
    for utterance in utterances:
        tokens = tokens_of(utterance, tokenizer)
        words = [token.text for token in tokens]
        row, cut = encode_words(words, tokenizer, vocabulary, max_tokens)
        tags = bio_tags(utterance, tokens)[: len(row)] or ["O"]
        ids.append(row)
        slots.append([tag_ids.get(tag, UNSEEN) for tag in tags])
        truncated.append(cut)
    return Examples(
        token_ids=pad_rows(ids, 0),
        slots=pad_rows(slots, UNSEEN),
        intent=labels.intent_labels(utterances),
        lengths=np.array([len(row) for row in ids], np.int32),
        truncated=np.array(truncated, bool),
    )
