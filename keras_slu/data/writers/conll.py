"""Writes CoNLL blocks: the intent as a comment, a word and its tag a row."""

from dataclasses import replace
from reprlib import repr as short

from keras_slu.data.alignment import bio_tags
from keras_slu.data.conll import read_block
from keras_slu.data.tokenising import words_and_tags
from keras_slu.data.writers.common import check_names
from keras_slu.data.writers.common import label_of
from keras_slu.data.writers.common import refusal
from keras_slu.data.writers.common import words_of
from keras_slu.data.writers.output import open_file
from keras_slu.errors import InputError
from keras_slu.text.tokenizer import Tokenizer


def write_conll(utterances, path):
    """Writes `# intent = a#b`, `# text = ...` if need be, and `word tag` rows.

    An utterance without tokens is cut into what the tokenizer finds, and at the
    bounds of its slots; line breaks in its text become spaces.
    """
    tokenizer = Tokenizer()
    with open_file(path) as stream:
        for utterance in utterances:
            rows = _rows_of(utterance, tokenizer)
            stream.write("\n".join(rows) + "\n\n")


def _rows_of(utterance, tokenizer):
    label = label_of(utterance)
    rows = [f"# intent = {label}"] if label else []
    text = utterance.text
    if utterance.tokens:
        tokens = words_of(utterance)
        words, tags = [token.text for token in tokens], bio_tags(utterance, tokens)
    else:
        words, tags = words_and_tags(utterance, tokenizer)
        text = text.replace("\n", " ").replace("\r", " ")
        rows.append(f"# text = {text}")
    check_names(utterance)
    rows += [f"{word} {tag}" for word, tag in zip(words, tags, strict=True)]
    if not _comes_back(rows, replace(utterance, text=text)):
        raise refusal(
            utterance,
            f"CoNLL rows cannot hold {short(utterance.text)}",
            "Convert to json-lines.",
        )
    return rows


def _comes_back(rows, utterance):
    """Whether reading the rows gives the utterance: a word may look like a note."""
    try:
        return read_block(list(enumerate(rows)), "", lambda fault: None) == utterance
    except InputError:
        return False
