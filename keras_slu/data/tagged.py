"""Words and their tags, as the formats that come tokenised spell them.

The functions raise `InputError` without a place; the reader adds it.
"""

from reprlib import repr as short

from keras_slu.data.alignment import slot_spans
from keras_slu.data.tags import chunks
from keras_slu.data.words import check_same_length
from keras_slu.data.words import check_tag
from keras_slu.data.words import check_words
from keras_slu.errors import InputError


def split_spaced(line, warn):
    """Splits a line at its spaces; `warn` is told where one is too many."""
    words = line.split(" ")
    if "" in words and line.strip(" "):
        words = [word for word in words if word]
        warn(
            InputError(
                "a space stands at an end or beside another",
                "Separate words by exactly one space; that is how it is read.",
            )
        )
    return words


def split_words(line, warn):
    """Splits a line into words at its spaces."""
    words = split_spaced(line, warn)
    check_words(words)
    return words


def read_tags(tags, tokens, warn):
    """Gives the slots that BIO tags mark.

    Args:
        tags: sequence of str, one for each token.
        tokens: sequence of `Token`.
        warn: function that is told of an `I-` tag that continues nothing; it
            begins a slot, as in `conlleval`.

    Returns:
        tuple of `SlotSpan`.
    """
    for tag in tags:
        check_tag(tag)
    check_same_length(tokens, tags)
    slots = slot_spans(tokens, tags)
    if len(slots) > sum([tag[0] == "B" for tag in tags]):
        _warn_of_orphan(tags, warn)
    return slots


def _warn_of_orphan(tags, warn):
    orphans = set(chunks(tags)) - set(chunks(tags, strict=True))
    place = min(start for _, start, _ in orphans if tags[start][0] == "I")
    warn(
        InputError(
            f"the tag {short(tags[place])} of word {place + 1} continues no slot",
            "Begin each slot with B-; it is read so.",
        )
    )
