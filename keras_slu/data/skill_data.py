"""Reads the data of a SkillNet's task, whatever their format."""

from itertools import chain
from pathlib import Path

from keras_slu.data import read
from keras_slu.data.cluener import iter_cluener
from keras_slu.data.examples import TextExample
from keras_slu.data.findings import place
from keras_slu.data.marked_utterances import marked_utterances
from keras_slu.data.marked_words import MARKS
from keras_slu.data.punctuated_text import read_punctuation
from keras_slu.data.sentence_tasks import answer_sentences
from keras_slu.data.sentence_tasks import next_sentences
from keras_slu.data.squad_json import iter_squad
from keras_slu.data.text_lines import iter_text_lines
from keras_slu.data.text_table import iter_text_table
from keras_slu.errors import InputError

WORDS = 48  # of an utterance that is cut out of marked words
# Kinds whose examples have two texts.
PAIRED = ("pair", "matching", "ranking")
# The formats of each kind, the one to expect where a name tells nothing first.
FORMATS = {
    "classification": ("utterances", "text-lines", "text-table"),
    "pair": ("text-lines", "text-table", "next-sentences"),
    "matching": ("text-lines", "text-table", "answer-sentences"),
    "ranking": ("text-lines", "text-table", "answer-sentences"),
    "tagging": ("utterances", "cluener", "marked-words"),
    "span": ("squad",),
    "masked_pieces": ("utterances", "text-lines", "text-table", "squad"),
}
_BY_NAME = {".tsv": "text-table", ".jsonl": "text-lines", ".json": "squad"}


def read_examples(paths, kind, format=None):
    """Reads the examples of one task, of all files one after another.

    Args:
        paths: list of paths.
        kind: str, that of a `SkillTask`.
        format: str, one of `FORMATS[kind]`. Defaults to what the name of each
            file ends with, `.tsv`, `.jsonl` or `.json`, or else to the first.

            `text-lines` and `text-table` are those of `iter_text_lines` and
            `iter_text_table`; `utterances` is what `keras_slu.data.read` reads,
            for classification with the intents as the label; `marked-words`
            are cut into pieces of 48; `answer-sentences` are made of the
            questions of a `squad` file, `next-sentences` of the texts of any.

    Returns:
        list, not empty: `TextExample`s; for tagging `Utterance`s, for spans
        `Question`s, for masked pieces str.

    Raises:
        InputError: for faulty data, with file and line; and for examples with
            one text where the kind needs two, or the other way round.
    """
    examples = list(
        chain.from_iterable(
            _read(path, kind, _format(path, kind, format)) for path in paths
        )
    )
    if not examples:
        raise InputError("holds no example", "Give it some.", file=paths[0])
    for example in examples:
        if isinstance(example, TextExample):
            _check_texts(example, kind)
    return examples


def _format(path, kind, format):
    known = FORMATS[kind]
    if format is None:
        name = Path(str(path).removesuffix(".gz"))
        found = _BY_NAME.get(name.suffix)
        return found if found in known else known[0]
    if format not in known:
        raise InputError(
            f"the format {format!r} is not for the kind {kind!r}",
            f"Name one of {', '.join(known)}.",
        )
    return format


def _read(path, kind, format):
    if format == "next-sentences":
        return next_sentences(_texts(path, _format(path, "masked_pieces", None)))
    if kind == "masked_pieces":
        return _texts(path, format)
    if format == "answer-sentences":
        return answer_sentences(iter_squad(path))
    if format == "marked-words":
        return marked_utterances(read_punctuation(path, list(MARKS)), WORDS)
    if format == "utterances" and kind == "classification":
        return [_labelled(utterance) for utterance in read(path)]
    return _reader(format)(path)


def _reader(format):
    return {
        "text-lines": iter_text_lines,
        "text-table": iter_text_table,
        "utterances": read,
        "cluener": iter_cluener,
        "squad": iter_squad,
    }[format]


def _texts(path, format):
    """The different texts of a file."""
    examples = _reader(format)(path)
    name = "passage" if format == "squad" else "text"
    return list(dict.fromkeys(getattr(example, name) for example in examples))


def _labelled(utterance):
    """An utterance as a text and its set of intents."""
    if not utterance.intents:
        file, line = place(utterance.origin)
        raise InputError("has no intent", "Give it one.", file=file, line=line)
    label = "#".join(sorted(utterance.intents))
    return TextExample(utterance.text, None, label, utterance.origin)


def _check_texts(example, kind):
    texts = 2 if kind in PAIRED else 1
    found = 1 if example.second is None else 2
    if found != texts:
        file, line = place(example.origin)
        raise InputError(
            f"has {found} text{'s' * (found > 1)}, but the kind {kind!r} needs {texts}",
            "Set another `kind`, or correct the data.",
            file=file,
            line=line,
        )
