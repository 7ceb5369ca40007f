"""Labelled utterances: one reader a format, and what all of them yield."""

import gc
from contextlib import contextmanager
from pathlib import Path

from keras_slu.data.conll import iter_conll
from keras_slu.data.csv_table import iter_csv
from keras_slu.data.detection import detect
from keras_slu.data.dialogue import user_turns
from keras_slu.data.dialogue_iob import iter_dialogue_iob
from keras_slu.data.dialogue_lines import iter_dialogue_lines
from keras_slu.data.folders import find_files
from keras_slu.data.home import read_home
from keras_slu.data.home_dialogues import read_home_dialogues
from keras_slu.data.iob_lines import iter_iob_lines
from keras_slu.data.json_lines import iter_json_lines
from keras_slu.data.kvret_json import iter_kvret_json
from keras_slu.data.massive import iter_massive
from keras_slu.data.nlupp import iter_nlupp
from keras_slu.data.rasa_json import iter_rasa_json
from keras_slu.data.rasa_yaml import iter_rasa_yaml
from keras_slu.data.report import raise_errors
from keras_slu.data.seq_folder import is_seq_folder
from keras_slu.data.seq_folder import iter_seq_folder
from keras_slu.data.slurp import iter_slurp
from keras_slu.data.snips_json import iter_snips_json
from keras_slu.data.snips_nlu import iter_snips_nlu
from keras_slu.data.top import iter_top
from keras_slu.data.word_tags import iter_word_tags
from keras_slu.errors import InputError

_READERS = {
    "seq-folder": iter_seq_folder,
    "json-lines": iter_json_lines,
    "conll": iter_conll,
    "iob-lines": iter_iob_lines,
    "word-tags": iter_word_tags,
    "rasa-yaml": iter_rasa_yaml,
    "rasa-json": iter_rasa_json,
    "snips-json": iter_snips_json,
    "snips-nlu": iter_snips_nlu,
    "massive": iter_massive,
    "slurp": iter_slurp,
    "nlupp": iter_nlupp,
    "top": iter_top,
    "csv": iter_csv,
}
_DIALOGUE_READERS = {
    "dialogue-lines": iter_dialogue_lines,
    "dialogue-iob": iter_dialogue_iob,
    "kvret-json": iter_kvret_json,
}
FORMATS = (*_READERS, *_DIALOGUE_READERS)

_SUPPORTED = (
    "Give a folder with seq.in, seq.out and label, a .jsonl file of one object a "
    "line, embedded:home/train, /dev or /test, or data in one of the formats "
    f"{', '.join(FORMATS[2:])}."
)


def read(path, format=None):
    """Reads labelled utterances in any known format.

    Args:
        path: path of a file, plain or `.gz`; of a folder that holds `seq.in`;
            of a folder of Rasa YAML or of Snips JSON files, which are then
            read together; or `"embedded:home/train"`, `/dev` or `/test`, the
            corpus that comes with the package.
        format: str, one of `FORMATS`. Told by the content by default.

    Returns:
        list of `Utterance`, never empty. Of dialogues, what the user said, turn
        by turn; `read_dialogues` gives all.

    Raises:
        InputError: when it is none of these, or its data are faulty, with file
            and line. What a format holds beside utterances is left out.

    Example:

    >>> len(read("embedded:home/dev")) > 0
    True
    """
    with _no_garbage_collection():
        utterances = list(iter_utterances(path, format))
    if not utterances:
        raise InputError("holds no utterance", "Give it some.", file=path)
    return utterances


def read_dialogues(path, format=None):
    """Reads dialogues, all turns of both sides.

    Args:
        path: path of a file of dialogues, plain or `.gz`; or
            `"embedded:home-dialogues/train"`, `/dev` or `/test`.
        format: str, `"dialogue-lines"`, `"dialogue-iob"` or `"kvret-json"`. Told
            by the content by default.

    Returns:
        list of `Dialogue`, never empty.

    Raises:
        InputError: when it is none of these, or its data are faulty, with file
            and line.
    """
    with _no_garbage_collection():
        dialogues = list(iter_dialogues(path, format))
    if not dialogues:
        raise InputError("holds no dialogue", "Give it some.", file=path)
    return dialogues


def iter_dialogues(path, format=None, report=raise_errors):
    """Reads dialogues one at a time.

    Args:
        path, format: as for `read_dialogues`.
        report: as for `iter_utterances`.

    Returns:
        iterator of `Dialogue`.

    Raises:
        InputError: at once, when there are no dialogues in a known format.
    """
    if str(path).startswith("embedded:"):
        return iter(_read_embedded(str(path), {"home-dialogues": read_home_dialogues}))
    format = format or detect(Path(path))
    if format not in _DIALOGUE_READERS:
        raise InputError(
            "holds no dialogues in a known format",
            f"Give data in one of {', '.join(_DIALOGUE_READERS)}.",
            file=path,
        )
    return _DIALOGUE_READERS[format](path, report)


def has_dialogues(path, format=None):
    """Tells whether data hold dialogues: their format says it."""
    if str(path).startswith("embedded:"):
        return str(path).startswith("embedded:home-dialogues/")
    path = Path(path)
    if format is None and path.is_file():
        format = detect(path)
    return format in _DIALOGUE_READERS


def iter_utterances(path, format=None, report=raise_errors):
    """Reads labelled utterances one at a time, in bounded memory.

    Documents (YAML, and JSON that is not one object a line) are held in memory
    as text.

    Args:
        path: as for `read`.
        format: as for `read`.
        report: function of `(severity, fault)` that is called for each fault,
            see `keras_slu.data.report`. Raises errors by default.

    Returns:
        iterator of `Utterance`.

    Raises:
        InputError: at once, when there are no such data or their format is not
            known.
    """
    if format not in (None, *FORMATS):
        raise InputError(f"no format {format!r}", f"Name one of {', '.join(FORMATS)}.")
    if str(path).startswith("embedded:"):
        return _read_embedded(str(path), _EMBEDDED)
    path = Path(path)
    if not path.exists():
        raise InputError("no such file or folder", _SUPPORTED, file=path)
    if path.is_dir() and format in (None, "seq-folder") and is_seq_folder(path):
        return iter_seq_folder(path, report)
    if path.is_dir():
        return _iter_files(*find_files(path, format, report), report)
    format = format or detect(path)
    if format is None:
        raise InputError("is in no known format", _SUPPORTED, file=path)
    return _iter_file(path, format, report)


def _iter_file(path, format, report):
    if format in _DIALOGUE_READERS:
        return _iter_user_turns(_DIALOGUE_READERS[format](path, report))
    return _READERS[format](path, report)


def _iter_user_turns(dialogues):
    for dialogue in dialogues:
        yield from user_turns(dialogue)


def _iter_files(files, format, report):
    for file in files:
        yield from _READERS[format](file, report)


@contextmanager
def _no_garbage_collection():
    """Collecting among a million new tokens, all alive, doubles the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _read_embedded(name, corpora):
    """What the corpora's functions give for a name such as `embedded:home/dev`."""
    corpus, _, split = name.removeprefix("embedded:").partition("/")
    if corpus not in corpora or split not in ("train", "dev", "test"):
        raise InputError(f"no embedded data {name!r}", _SUPPORTED)
    return corpora[corpus](split)


def _home(split):
    return iter(read_home(split))


def _home_dialogues(split):
    return _iter_user_turns(read_home_dialogues(split))


_EMBEDDED = {"home": _home, "home-dialogues": _home_dialogues}
