"""Reading text that may be damaged and writing files whole or not at all."""

import gzip
import os
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path

from keras_slu.errors import InputError


def read_lines(path):
    """Yields `(line_number, text)` of a UTF-8 file, plain or `.gz`.

    Line ends (LF, CRLF) are removed; only they split lines, so that U+2028
    inside an utterance stays inside it. A byte-order mark is dropped.

    Raises:
        InputError: a missing file, a folder, a truncated `.gz`, invalid UTF-8
            or a NUL, with the line at fault.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder, not a file", "Name a file in it.", file=path)
    opener = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with opener(path, "rb") as stream:
            for number, raw in enumerate(stream, 1):
                yield number, _decode(raw, path, number)
    except FileNotFoundError:
        raise InputError("no such file", "Check the path.", file=path) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise InputError(
            f"damaged gzip data ({error})",
            "Copy or download the file again.",
            file=path,
            line=number + 1,
        ) from None
    except OSError as error:
        raise InputError(
            error.strerror or str(error), "Check the file.", file=path
        ) from None


def _decode(raw, path, number):
    if b"\0" in raw:
        raise InputError(
            "holds a NUL character",
            "Remove it; is this really a text file?",
            file=path,
            line=number,
        )
    try:
        text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte 0x{raw[error.start]:02x} is not valid UTF-8",
            "Convert the file to UTF-8, for example with iconv.",
            file=path,
            line=number,
        ) from None
    return text.removesuffix("\n").removesuffix("\r")


@contextmanager
def atomic_path(path):
    """Gives a path beside `path` to write to; it takes its place at the end.

    If the block raises, `path` is as it was and the partial file is gone. The
    suffix is kept, because Keras and NumPy choose the format by it.

    Raises:
        InputError: a folder of the name of `path`, or a parent in which no
            file can be made.
    """
    path = Path(path)
    if path.is_dir():
        raise InputError("is a folder, not a file", "Name another file.", file=path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix="".join(path.suffixes)
        )
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror})", "Name another place.", file=path
        ) from None
    os.close(handle)
    temporary = Path(temporary)
    try:
        yield temporary
        with open(temporary, "rb") as stream:
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)  # mkstemp makes private files
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path, text):
    """Writes `text` as UTF-8 to `path`, atomically."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
