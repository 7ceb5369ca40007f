"""Writes the common folder of three files: words, tags, intents."""

from contextlib import ExitStack

from keras_slu.data.alignment import bio_tags
from keras_slu.data.seq_folder import FILES
from keras_slu.data.writers.common import check_names
from keras_slu.data.writers.common import label_of
from keras_slu.data.writers.common import refusal
from keras_slu.data.writers.common import words_of
from keras_slu.data.writers.output import new_folder
from keras_slu.data.writers.output import open_file


def write_seq_folder(utterances, path):
    """Writes `seq.in`, `seq.out` and `label`; the words must be the whole text."""
    with new_folder(path) as folder, ExitStack() as files:
        streams = [files.enter_context(open_file(folder / name)) for name in FILES]
        for utterance in utterances:
            for stream, line in zip(streams, _lines_of(utterance), strict=True):
                stream.write(line + "\n")


def _lines_of(utterance):
    tokens = words_of(utterance)
    check_names(utterance)
    tags = bio_tags(utterance, tokens)
    label = label_of(utterance)
    if not label:
        raise refusal(utterance, "no intent", "Convert to json-lines or conll.")
    return utterance.text, " ".join(tags), label
