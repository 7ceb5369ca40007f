"""Finds the files of a folder whose data are spread over several."""

from itertools import islice

from keras_slu.data.detection import LINES
from keras_slu.data.detection import detect_content
from keras_slu.data.report import placed
from keras_slu.data.seq_folder import is_seq_folder
from keras_slu.errors import InputError
from keras_slu.files import read_lines

# Rasa keeps a file a topic, Snips one an intent. Files in other formats are
# rather splits, which nobody wants to read as one.
_SPREAD = ("rasa-yaml", "snips-json")
_SPLITS = ("train", "dev", "valid", "validation", "test")


def find_files(folder, format, report):
    """Finds the Rasa YAML files or the Snips JSON files in a folder.

    Args:
        folder: `Path`.
        format: str, the one to look for, or `None` for both.
        report: function of `(severity, fault)`; it is warned of files in
            other formats, which are left out.

    Returns:
        `(files, format)`: list of `Path`, by name, and str.

    Raises:
        InputError: where there are none, or some in both formats.
    """
    splits = [path.name for path in sorted(folder.iterdir()) if _is_split(path)]
    if splits:
        raise InputError(
            "is a folder of splits", f"Name one: {', '.join(splits)}.", file=folder
        )
    formats = {path: _format_of(path) for path in sorted(folder.iterdir())}
    wanted = {format} if format else set(_SPREAD)
    found = wanted.intersection(_SPREAD, formats.values())
    if len(found) != 1:
        held = "both rasa-yaml and snips-json" if found else "nothing to read together"
        raise InputError(
            f"a folder that holds {held}",
            "Give one with seq.in, one of rasa-yaml or snips-json files, or a file.",
            file=folder,
        )
    (format,) = found
    for path, other in formats.items():
        if other != format and not path.name.startswith("."):
            remedy = f"Only its neighbours in {format} are read."
            report("warning", placed(InputError("is left out", remedy), path))
    return [path for path, other in formats.items() if other == format], format


def _is_split(path):
    return is_seq_folder(path) or path.name.partition(".")[0] in _SPLITS


def _format_of(path):
    """The format by content; `None` for what cannot be read."""
    try:
        return detect_content([text for _, text in islice(read_lines(path), LINES)])
    except InputError:
        return None
