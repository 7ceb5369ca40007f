"""Labelled utterances as a speech recogniser may hear them."""

from dataclasses import replace

from keras_slu.data.alignment import bio_tags
from keras_slu.data.alignment import slot_spans
from keras_slu.data.encoding import tokens_of
from keras_slu.data.noise import noisy_order
from keras_slu.data.words import join_words


def noisy_utterances(utterances, rate, random, tokenizer):
    """Adds errors to utterances: words exchanged, lost and made up.

    A slot keeps the words that are left of it, and is gone with its last one;
    a word in another's place, or made up inside a slot, belongs to the slot.
    An utterance keeps one word at least.

    Args:
        utterances: list of `Utterance`.
        rate: float in [0, 1]. The word error rate.
        random: `numpy.random.Generator`.
        tokenizer: `Tokenizer`, for utterances that come without tokens.

    Returns:
        list of `Utterance`, with tokens where they had some. Their texts are
        words with single spaces between them.

    Example:

    >>> import numpy as np
    >>> from keras_slu.data import read
    >>> from keras_slu.text.tokenizer import Tokenizer
    >>> heard = read("embedded:home/dev")[:2]
    >>> noisy = noisy_utterances(heard, 0.5, np.random.default_rng(1), Tokenizer())
    >>> [utterance.intents for utterance in noisy] == [u.intents for u in heard]
    True
    """
    tokens = [tokens_of(utterance, tokenizer) for utterance in utterances]
    pool = [token.text for of_one in tokens for token in of_one]
    return [
        _noisy(utterance, of_one, pool, rate, random)
        for utterance, of_one in zip(utterances, tokens, strict=True)
    ]


def _noisy(utterance, tokens, pool, rate, random):
    sources, is_own = noisy_order(len(tokens), rate, random)
    if not len(sources):
        return utterance
    others = random.integers(len(pool), size=len(sources))
    words = [
        tokens[source].text if own else pool[other]
        for source, own, other in zip(sources, is_own, others, strict=True)
    ]
    text, noisy = join_words(words)
    tags = _noisy_tags(bio_tags(utterance, tokens), sources)
    return replace(
        utterance,
        text=text,
        tokens=noisy if utterance.tokens else (),
        slots=slot_spans(noisy, tags),
    )


def _noisy_tags(tags, sources):
    """The BIO tags of the words that stand for others."""
    noisy, span, last = [], 0, None
    spans = []  # the number of each tag's span, 0 outside
    for tag in tags:
        span += tag.startswith("B-")
        spans.append(0 if tag == "O" else span)
    for place in sources.tolist():
        inside = spans[place]
        made_up = place == last  # behind its neighbour: inside if the span goes on
        if made_up and (place + 1 == len(tags) or spans[place + 1] != inside):
            inside = 0
        name = tags[place][2:]
        begins = last is None or spans[last] != inside
        noisy.append(f"{'B' if begins else 'I'}-{name}" if inside else "O")
        last = place
    return noisy
