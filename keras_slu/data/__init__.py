"""Labelled utterances: one reader a format, and what all of them yield."""

import gc
from contextlib import contextmanager
from pathlib import Path

from keras_slu.data.json_lines import read_json_lines
from keras_slu.data.seq_folder import read_seq_folder
from keras_slu.errors import InputError

_SUPPORTED = (
    "Give a folder with seq.in, seq.out and label, a .jsonl, .jsonl.gz or .json "
    "file of one object a line, or embedded:home/train, /dev or /test."
)


def read(path):
    """Reads labelled utterances, choosing the reader by the name.

    Args:
        path: path of a folder that holds `seq.in` (or `seq.in.gz`); path of a
            `.jsonl`, `.jsonl.gz` or `.json` file; or `"embedded:home/train"`,
            `/dev` or `/test`, the corpus that comes with the package.

    Returns:
        list of `Utterance`, never empty.

    Raises:
        InputError: when it is none of these, or its data are faulty.

    Example:

    >>> len(read("embedded:home/dev")) > 0
    True
    """
    if str(path).startswith("embedded:"):
        return _read_embedded(str(path))
    path = Path(path)
    with _no_garbage_collection():
        return _read_path(path)


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


def _read_path(path):
    if path.is_dir():
        return _read_folder(path)
    if not path.exists():
        raise InputError("no such file or folder", _SUPPORTED, file=path)
    if path.name.endswith((".jsonl", ".jsonl.gz", ".json")):
        return read_json_lines(path)
    raise InputError("is in no known format", _SUPPORTED, file=path)


def _read_folder(folder):
    def is_seq_folder(path):
        return any((path / name).exists() for name in ("seq.in", "seq.in.gz"))

    if is_seq_folder(folder):
        return read_seq_folder(folder)
    splits = sorted(path.name for path in folder.iterdir() if is_seq_folder(path))
    if splits:
        raise InputError(
            "is a folder of splits", f"Name one: {', '.join(splits)}.", file=folder
        )
    raise InputError("holds no seq.in", _SUPPORTED, file=folder)


def _read_embedded(name):
    # The reader of the corpus needs YAML, which no other reader does.
    from keras_slu.data.home import read_home

    corpus, _, split = name.removeprefix("embedded:").partition("/")
    if corpus != "home" or split not in ("train", "dev", "test"):
        raise InputError(f"no embedded data {name!r}", _SUPPORTED)
    return read_home(split)
