"""From slot spans to BIO tags over tokens, and back."""

from keras_slu.data.findings import place
from keras_slu.data.tags import chunks
from keras_slu.data.utterance import SlotSpan
from keras_slu.errors import InputError


def slot_spans(tokens, tags):
    """Finds the slots that BIO tags mark, in the reading of `conlleval`.

    Args:
        tokens: sequence of `Token`.
        tags: sequence of str, one for each token.

    Returns:
        tuple of `SlotSpan`.
    """
    return tuple(
        SlotSpan(name, tokens[first].start, tokens[end - 1].end)
        for name, first, end in chunks(tags)
    )


def bio_tags(utterance, tokens):
    """Writes the slots of an utterance as BIO tags over tokens.

    Args:
        utterance: `Utterance`.
        tokens: sequence of `Token` of its text, from any tokenizer.

    Returns:
        list of str, one for each token.

    Raises:
        InputError: when a slot begins or ends inside a token or beside one,
            with the bounds of both and the utterance's origin.

    Example:

    >>> from keras_slu.data.utterance import Token, Utterance
    >>> utterance = Utterance("play hey jude", slots=(SlotSpan("song", 5, 13),))
    >>> tokens = [Token("play", 0, 4), Token("hey", 5, 8), Token("jude", 9, 13)]
    >>> bio_tags(utterance, tokens)
    ['O', 'B-song', 'I-song']
    """
    first_at, end_at = _bounds(tokens)
    tags = ["O"] * len(tokens)
    for slot in utterance.slots:
        if slot.start not in first_at or slot.end not in end_at:
            raise _misaligned(utterance, slot, tokens)
        first, end = first_at[slot.start], end_at[slot.end]
        tags[first] = f"B-{slot.name}"
        tags[first + 1 : end] = [f"I-{slot.name}"] * (end - first - 1)
    return tags


def is_aligned(utterance, tokens):
    """Whether all slots begin and end where tokens do.

    >>> from keras_slu.data.utterance import Token, Utterance
    >>> utterance = Utterance("at fivein", slots=(SlotSpan("time", 3, 7),))
    >>> is_aligned(utterance, [Token("at", 0, 2), Token("fivein", 3, 9)])
    False
    """
    first_at, end_at = _bounds(tokens)
    return all(s.start in first_at and s.end in end_at for s in utterance.slots)


def _bounds(tokens):
    """Which token starts, and which one ends, at an offset of the text."""
    first_at = {token.start: place for place, token in enumerate(tokens)}
    end_at = {token.end: place for place, token in enumerate(tokens, 1)}
    return first_at, end_at


def _misaligned(utterance, slot, tokens):
    touched = [
        token for token in tokens if token.end > slot.start and token.start < slot.end
    ]
    if touched:
        start, end = touched[0].start, touched[-1].end
        there = f"the tokens there span {start}:{end} {utterance.text[start:end]!r}"
    else:
        there = "no token is there"
    value = utterance.text[slot.start : slot.end]
    file, line = place(utterance.origin)
    return InputError(
        f"slot {slot.name!r} spans {slot.start}:{slot.end} {value!r}, but {there}",
        "Move its bounds to those of tokens, give the text as a list of words, or "
        "train with `misaligned_slots: leave_out`.",
        file=file,
        line=line,
    )
