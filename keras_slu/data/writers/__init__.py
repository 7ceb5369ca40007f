"""Writes utterances in the formats that other tools read."""

from pathlib import Path

from keras_slu.data.writers.conll import write_conll
from keras_slu.data.writers.json_lines import write_json_lines
from keras_slu.data.writers.rasa_yaml import write_rasa_yaml
from keras_slu.data.writers.seq_folder import write_seq_folder
from keras_slu.data.writers.snips_json import write_snips_json
from keras_slu.errors import InputError

_WRITERS = {
    "json-lines": write_json_lines,
    "seq-folder": write_seq_folder,
    "conll": write_conll,
    "rasa-yaml": write_rasa_yaml,
    "snips-json": write_snips_json,
}
FORMATS = tuple(_WRITERS)

_BY_NAME = {
    ".jsonl": "json-lines",
    ".conll": "conll",
    ".yml": "rasa-yaml",
    ".yaml": "rasa-yaml",
    "": "seq-folder",
}


def choose_format(path):
    """Tells the format to write by the name of the target.

    >>> choose_format("nlu.yml.gz"), choose_format("data/train")
    ('rasa-yaml', 'seq-folder')
    """
    suffix = Path(str(path).removesuffix(".gz")).suffix
    if suffix not in _BY_NAME:
        raise InputError(
            f"a name that ends with {suffix!r} does not tell the format to write",
            f"Name it: {', '.join(FORMATS)}.",
            file=path,
        )
    return _BY_NAME[suffix]


def write(utterances, path, format):
    """Writes utterances, whole or not at all, so that `read` gives them back.

    What comes back has the same intents and, over the same text, the same
    slots. `"rasa-yaml"` and `"snips-json"` group utterances by intent and keep
    no tokens; `"seq-folder"` makes words of texts without tokens. Line breaks
    inside a text become spaces in `"rasa-yaml"` and `"conll"`.

    Args:
        utterances: iterable of `Utterance`. It is read once; `"rasa-yaml"` and
            `"snips-json"` hold all of it in memory.
        path: path of the file, compressed if it ends with `.gz`; for
            `"seq-folder"` of a folder that is not there yet.
        format: str, one of `FORMATS`.

    Returns:
        int, how many utterances were written.

    Raises:
        InputError: an utterance that the format cannot hold, with its origin,
            or no utterance. Nothing is written then.

    Example:

    >>> import tempfile
    >>> from keras_slu.data import read
    >>> path = f"{tempfile.mkdtemp()}/dev.jsonl"
    >>> utterances = read("embedded:home/dev")
    >>> write(utterances, path, "json-lines") == len(utterances)
    True
    >>> read(path) == utterances
    True
    """
    if format not in FORMATS:
        raise InputError(
            f"no format {format!r} to write", f"Name one of {', '.join(FORMATS)}."
        )
    count = 0

    def counted():
        nonlocal count
        for utterance in utterances:
            count += 1
            yield utterance
        if not count:
            raise InputError("no utterance to write", "Give some.")

    _WRITERS[format](counted(), path)
    return count
