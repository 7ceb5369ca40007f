"""Reads `BOS word ... EOS<TAB>O tag ... intent`, one utterance a line."""

from keras_slu.data.report import iter_records
from keras_slu.data.report import raise_errors
from keras_slu.data.tagged import read_tags
from keras_slu.data.tagged import split_spaced
from keras_slu.data.tagged import split_words
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.data.words import split_intents
from keras_slu.errors import InputError


def iter_iob_lines(path, report=raise_errors):
    """Reads the line form of ATIS in the style of JointSLU (`.w-intent.iob`).

    `BOS` has the tag `O`; the intent stands where `EOS` would have its tag.

    Args:
        path: path.
        report: function of `(severity, fault)`, see `keras_slu.data.report`.

    Yields:
        `Utterance` with tokens, without `BOS` and `EOS`.

    Reference: Hakkani-Tur et al., "Multi-Domain Joint Semantic Frame Parsing
    using Bi-directional RNN-LSTM", 2016.
    """
    return iter_records(path, _read_utterance, report)


def _read_utterance(line, origin, warn):
    left, _, right = line.partition("\t")
    words = split_words(left, warn)
    if len(words) < 3 or words[0] != "BOS" or words[-1] != "EOS" or not right:
        raise InputError(
            "not of the form BOS word ... EOS, tab, O tag ... intent",
            "Is the file of this format?",
        )
    words = words[1:-1]
    tags = split_spaced(right, warn)
    if len(tags) != len(words) + 2 or tags[0] != "O":
        raise InputError(
            f"{len(words)} words, but behind the tab {len(tags)} tags and intents",
            "Give BOS the tag O, each word its tag, and EOS the intent.",
        )
    text, tokens = join_words(words)
    slots = read_tags(tags[1:-1], tokens, warn)
    return Utterance(text, tokens, slots, split_intents(tags[-1]), origin)
