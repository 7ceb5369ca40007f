"""One child process that has built no model itself, to load saved models in.

It costs seconds of imports, so all tests of a session share one: the fixture
`fresh_process`. Run as a script, this file is the child.
"""

import json
import os
import subprocess
import sys
import traceback
import warnings


class FreshProcess:
    """Runs pieces of code one after the other, each with names of its own."""

    def __init__(self):
        self.child = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, code, folder):
        """Runs `code` in `folder`; what it raises or warns fails the test.

        `keras` and `np` are there, and `keras_slu.models` is imported.
        """
        print(json.dumps([code, str(folder)]), file=self.child.stdin, flush=True)
        answer = self.child.stdout.readline()
        assert answer, "the child process has died"
        error = json.loads(answer)
        assert not error, error

    def stop(self):
        self.child.stdin.close()
        self.child.stdout.close()
        self.child.wait()


def main():
    import keras
    import numpy as np

    import keras_slu.models  # noqa: F401

    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        code, folder = json.loads(line)
        os.chdir(folder)
        error = ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", UserWarning)
                exec(code, {"keras": keras, "np": np})
        except Exception:
            error = traceback.format_exc()
        print(json.dumps(error), file=answers, flush=True)


if __name__ == "__main__":
    main()
