"""What several writers need of an utterance, or refuse in it."""

from reprlib import repr as short

from keras_slu.data.findings import place
from keras_slu.data.words import check_words
from keras_slu.data.words import join_words
from keras_slu.errors import InputError
from keras_slu.text.table import SEPARATOR


def refusal(utterance, problem, remedy):
    """The `InputError` for an utterance that a format cannot hold."""
    file, line = place(utterance.origin)
    return InputError(problem, remedy, file=file, line=line)


def words_of(utterance):
    """The tokens of an utterance, or its text split at single spaces.

    Returns:
        tuple of `Token`.

    Raises:
        InputError: when the text is not its words joined by single spaces.
    """
    words = [token.text for token in utterance.tokens] or utterance.text.split(" ")
    text, tokens = join_words(words)
    try:
        check_words(words)
    except InputError as fault:
        raise refusal(utterance, fault.problem, fault.remedy) from None
    if text != utterance.text:
        raise refusal(
            utterance,
            f"the text {short(utterance.text)} is not its tokens and single spaces",
            "Leave its tokens out, or join them.",
        )
    return tokens


def check_names(utterance):
    """Checks that no slot name would split a row or a line of tags."""
    for slot in utterance.slots:
        if SEPARATOR.search(slot.name):
            raise refusal(
                utterance,
                f"the slot name {slot.name!r} holds white space",
                "Rename the slot, or convert to json-lines.",
            )


def check_bounds(utterance):
    """Checks that no slot has white space at an end: it would be read as outside."""
    for slot in utterance.slots:
        value = utterance.text[slot.start : slot.end]
        if SEPARATOR.match(value) or SEPARATOR.match(value, len(value) - 1):
            raise refusal(
                utterance,
                f"slot {slot.name!r} has white space at an end: {short(value)}",
                "Move it outside, or convert to json-lines.",
            )


def label_of(utterance):
    """The intents of an utterance on one line, joined by `#`."""
    for name in utterance.intents:
        if "#" in name or "\n" in name:
            raise refusal(
                utterance,
                f"the intent {name!r} holds a # or a line break",
                "Rename the intent.",
            )
    return "#".join(utterance.intents)


def intent_of(utterance):
    """The one intent of an utterance."""
    if len(utterance.intents) != 1:
        names = " and ".join(map(repr, utterance.intents)) or "none"
        raise refusal(
            utterance,
            f"one intent is needed, not {names}",
            "Convert to json-lines, which holds any number.",
        )
    return utterance.intents[0]
