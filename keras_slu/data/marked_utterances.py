"""Marked words as utterances: the mark after a word as the word's slot."""

from keras_slu.data.marked_words import NO_MARK
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words


def marked_utterances(marked, length):
    """Cuts a text into utterances of `length` words, the last one shorter.

    Args:
        marked: `MarkedWords`.
        length: int.

    Returns:
        list of `Utterance` with tokens. So the F1 of their slots is that of the
        marks.

    Example:

    >>> from keras_slu.data.marked_words import MarkedWords
    >>> talk = MarkedWords(["well", "go", "on"], ["COMMA", "O", "PERIOD"])
    >>> [utterance.text for utterance in marked_utterances(talk, 2)]
    ['well go', 'on']
    >>> marked_utterances(talk, 3)[0].slots[1]
    SlotSpan(name='PERIOD', start=8, end=10)
    """
    utterances = []
    for start in range(0, len(marked), length):
        text, tokens = join_words(marked.words[start : start + length])
        marks = marked.marks[start : start + length]
        slots = tuple(
            SlotSpan(mark, token.start, token.end)
            for token, mark in zip(tokens, marks, strict=True)
            if mark != NO_MARK
        )
        utterances.append(Utterance(text, tokens, slots))
    return utterances
