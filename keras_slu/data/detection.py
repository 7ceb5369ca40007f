"""Tells the format of labelled data by what is in them."""

import json
import re
from itertools import islice

from keras_slu.data.conll import has_tag
from keras_slu.data.conll import split_notes
from keras_slu.data.csv_table import find_header
from keras_slu.data.dialogue_iob import is_user_line
from keras_slu.data.top import has_tree
from keras_slu.data.word_tags import ARROW
from keras_slu.files import read_lines

LINES = 200  # of the beginning of a file, that are looked at
_FIRST_KEY = re.compile(r'\s*\{\s*"([^"\\]*)"\s*:\s*(.?)', re.DOTALL)
_DOCUMENTS = {"kvret-json", "nlupp", "rasa-json", "snips-json", "snips-nlu"}
# Where the content does not tell, the reader of this format tells what is wrong.
_BY_NAME = {
    ".jsonl": "json-lines",
    ".json": "json-lines",
    ".yml": "rasa-yaml",
    ".yaml": "rasa-yaml",
    ".csv": "csv",
}


def detect(path):
    """Tells the format of a file by its first lines, or else by its name.

    Args:
        path: `Path` of a file.

    Returns:
        str, or `None` where neither tells.

    Raises:
        InputError: for a file that cannot be read as text.
    """
    lines = [text for _, text in islice(read_lines(path), LINES)]
    suffix = path.with_name(path.name.removesuffix(".gz")).suffix
    name = detect_content(lines)
    if suffix == ".jsonl" and name in _DOCUMENTS:
        name = None  # a line of other things may look like a whole document
    return name or _BY_NAME.get(suffix)


def detect_content(lines):
    """Tells the format by the first lines of a file; `None` for none.

    >>> detect_content(["wake:O me:O <=> alarm"])
    'word-tags'
    """
    lines = [line for line in lines if line.strip()]
    if not lines:
        return None
    first = lines[0].lstrip()
    if first[0] in "{[":
        return _detect_json(first, lines)
    if any(line.startswith("nlu:") for line in lines):
        return "rasa-yaml"
    if first.startswith("BOS ") and " EOS\t" in first:
        return "iob-lines"
    if ARROW in first:
        return "word-tags"
    if any(is_user_line(line) for line in lines):  # the system may begin
        return "dialogue-iob"
    if any(has_tree(line) for line in lines[:2]):  # the first may be a header
        return "top"
    if find_header(first):
        return "csv"
    _, rows = split_notes(list(enumerate(lines)))
    if rows and has_tag(rows[0][1]):
        return "conll"
    return None


def _detect_json(first, lines):
    try:
        item = json.loads(first)
    except (ValueError, RecursionError):
        return _detect_document("\n".join(lines))
    if isinstance(item, list):
        return _detect_document(first)
    for keys, name in (
        ({"utt", "annot_utt"}, "massive"),
        ({"sentence", "tokens"}, "slurp"),
        ({"turns"}, "dialogue-lines"),
        ({"text"}, "json-lines"),
    ):
        if keys <= set(item):
            return name
    return _detect_document(first)


def _detect_document(text):
    """Tells what a JSON document is by its first key."""
    if text[0] == "[":
        key = _FIRST_KEY.match(text[1:])
        is_kvret = key and key[1] in ("dialogue", "scenario")
        return "kvret-json" if is_kvret else "nlupp"
    key = _FIRST_KEY.match(text)
    if not key:
        return None
    if key[1] == "rasa_nlu_data":
        return "rasa-json"
    if key[1] in ("intents", "entities", "language") and key[2] in '{"':
        return "snips-nlu"
    return "snips-json" if key[2] == "[" else None
