"""Where writers write: nothing takes its place before all is written."""

import gzip
import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from keras_slu.errors import InputError
from keras_slu.files import atomic_path


@contextmanager
def open_file(path):
    """Opens a text file, compressed if `path` ends with `.gz`, atomically."""
    path = Path(path)
    with atomic_path(path) as temporary:
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(temporary, "wt", encoding="utf-8", newline="\n") as stream:
            yield stream


@contextmanager
def new_folder(path):
    """Gives a folder beside `path` to fill; it takes that place at the end.

    Raises:
        InputError: when there is something of that name, or no such place.
    """
    path = Path(path)
    if path.exists():
        raise InputError("exists", "Remove it, or name another place.", file=path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror})", "Name another place.", file=path
        ) from None
    try:
        yield Path(temporary)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, 0o777 & ~umask)  # mkdtemp makes private folders
        os.replace(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
