"""Reads dialogues in lines, `words|||tags|||intent`, as SDEN's code has them."""

from keras_slu.data.dialogue import Dialogue
from keras_slu.data.dialogue import Turn
from keras_slu.data.report import iter_lines
from keras_slu.data.report import placed
from keras_slu.data.report import raise_errors
from keras_slu.data.tagged import read_tags
from keras_slu.data.tagged import split_spaced
from keras_slu.data.tagged import split_words
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError

_BAR = "|||"


def is_user_line(line):
    """Whether a line is a user's turn.

    >>> is_user_line("play it|||O O|||play"), is_user_line("Which one?")
    (True, False)
    """
    return line.count(_BAR) == 2


def iter_dialogue_iob(path, report=raise_errors):
    """Reads one turn a line, with an empty line behind each dialogue.

    A user's turn is `words|||tags|||intent`, a system's its words alone.

    Args:
        path: path, which may be `.gz`.
        report: function of `(severity, fault)`, see `keras_slu.data.report`. A
            fault in one turn is a fault of the dialogue.

    Yields:
        `Dialogue`.

    Reference: Bai et al., "Memory Consolidation for Contextual Spoken Language
    Understanding with Dialogue Logistic Inference", 2019.
    """
    turns, first, is_faulty = [], None, False
    for line, text in _with_end(iter_lines(path, report)):
        if text.strip():
            first = first or line
            try:
                turns.append(_read_turn(text, path, line, report))
            except InputError as fault:
                is_faulty = True
                report("error", placed(fault, path, line))
            continue
        if turns and not is_faulty:
            yield Dialogue(tuple(turns), origin=f"{path}:{first}")
        turns, first, is_faulty = [], None, False


def _with_end(lines):
    """The lines, and an empty one behind the last dialogue."""
    yield from lines
    yield None, ""


def _read_turn(text, path, line, report):
    def warn(fault):
        report("warning", placed(fault, path, line))

    origin = f"{path}:{line}"
    if _BAR not in text:
        words, tokens = join_words(split_words(text, warn))
        return Turn("system", Utterance(words, tokens, origin=origin))
    if not is_user_line(text):
        raise InputError(
            "a turn that is not words|||tags|||intent", "Separate the three by |||."
        )
    words, tags, intent = text.split(_BAR)
    words, tokens = join_words(split_words(words, warn))
    slots = read_tags(split_spaced(tags, warn), tokens, warn)
    return Turn("user", Utterance(words, tokens, slots, split_intents(intent), origin))
