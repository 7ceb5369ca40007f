"""Reads `word:tag word:tag <=> intent`, one utterance a line."""

from keras_slu.data.report import iter_records
from keras_slu.data.report import raise_errors
from keras_slu.data.tagged import read_tags
from keras_slu.data.tagged import split_spaced
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import check_words
from keras_slu.data.words import join_words
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError

ARROW = " <=> "


def iter_word_tags(path, report=raise_errors):
    """Reads words with a BIO tag behind the last colon of each.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance` with tokens.

    Example of a line:

        wake:O me:O at:O 6:B-time pm:I-time <=> set_alarm
    """
    return iter_records(path, _read_utterance, report)


def _read_utterance(line, origin, warn):
    left, arrow, intent = line.rpartition(ARROW)
    if not arrow:
        raise InputError(
            "not of the form word:tag ... <=> intent", "Is the file of this format?"
        )
    pairs = [pair.rpartition(":") for pair in split_spaced(left, warn)]
    words = [word for word, _, _ in pairs]
    check_words(words)
    text, tokens = join_words(words)
    slots = read_tags([tag for _, _, tag in pairs], tokens, warn)
    return Utterance(text, tokens, slots, split_intents(intent), origin)
