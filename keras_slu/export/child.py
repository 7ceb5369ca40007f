"""Calls a function in a process of its own, which may die without us.

Exports run there: the process sees no GPU, so that the graph holds nothing
that only a GPU can run, and TensorFlow's converters can kill a process.
"""

import json
import os
import subprocess
import sys
import traceback
from importlib import import_module

from keras_slu.errors import InputError


def call_in_child(function, **arguments):
    """Calls a function in a child process and waits for it.

    Args:
        function: str. `"package.module:name"`.
        **arguments: its arguments, anything that JSON can hold.

    Raises:
        InputError: the one that the function raised; or, for an `OSError`,
            one that says what could not be read or written.
        RuntimeError: for anything else that the function raised, with its
            traceback, and when the process died.

    Example:

    >>> call_in_child("os:listdir", path="/no/such/folder")
    Traceback (most recent call last):
    ...
    keras_slu.errors.InputError: /no/such/folder: No such file or directory. ...
    """
    child = subprocess.run(
        [sys.executable, "-m", "keras_slu.export.child"],
        input=json.dumps([function, arguments]),
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
    )
    if child.returncode == 0:
        return
    if child.stdout:
        raise InputError(**json.loads(child.stdout))
    raise RuntimeError(
        f"{function} failed in a process of its own, exit code "
        f"{child.returncode}: {child.stderr[-4000:].strip()}"
    )


def main():
    """The child: its standard output is for an `InputError` alone."""
    answer, sys.stdout = sys.stdout, sys.stderr
    function, arguments = json.load(sys.stdin)
    module, name = function.split(":")
    try:
        getattr(import_module(module), name)(**arguments)
    except InputError as error:
        json.dump(vars(error), answer)
        sys.exit(2)
    except OSError as error:
        reason = error.strerror or str(error)
        fault = {"problem": reason, "remedy": "Check the place and the disk."}
        json.dump({**fault, "file": error.filename}, answer)
        sys.exit(2)
    except Exception:
        traceback.print_exc()
        sys.exit(1)


if __name__ == "__main__":
    main()
