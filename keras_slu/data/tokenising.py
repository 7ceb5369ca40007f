"""Utterances that come as raw text, cut into words."""

from keras_slu.data.alignment import slot_spans
from keras_slu.data.spans import pieces_of
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words


def words_and_tags(utterance, tokenizer):
    """Cuts a text into words, and at the bounds of its slots.

    Args:
        utterance: `Utterance`, without tokens.
        tokenizer: `Tokenizer`.

    Returns:
        `(words, tags)`: lists of str, BIO tags.

    Example:

    >>> from keras_slu.data.utterance import SlotSpan
    >>> from keras_slu.text.tokenizer import Tokenizer
    >>> utterance = Utterance("at 6pm.", slots=(SlotSpan("hour", 3, 4),))
    >>> words_and_tags(utterance, Tokenizer())
    (['at', '6', 'pm', '.'], ['O', 'B-hour', 'O', 'O'])
    """
    words, tags = [], []
    for piece, name in pieces_of(utterance.text, utterance.slots):
        found = [token.text for token in tokenizer.tokenize(piece)]
        words += found
        if name is None:
            tags += ["O"] * len(found)
        else:
            tags += [f"{'I' if place else 'B'}-{name}" for place in range(len(found))]
    return words, tags


def tokenised(utterance, tokenizer):
    """The utterance as words joined by single spaces; the same where it has tokens."""
    if utterance.tokens:
        return utterance
    words, tags = words_and_tags(utterance, tokenizer)
    text, tokens = join_words(words)
    slots = slot_spans(tokens, tags)
    return Utterance(text, tokens, slots, utterance.intents, utterance.origin)
