"""The one exception for faults in what the user gave: files, recipes, runs."""


class InputError(Exception):
    """Input that cannot be used, told in one line with its place and remedy.

    The command line prints it without a traceback and exits with code 2.

    Args:
        problem: str. What is wrong, with the offending value.
        remedy: str. What to do about it.
        file: path of the file at fault. Defaults to `None`.
        line: int. Line in `file`, from 1. Defaults to `None`.

    Example:

    >>> print(InputError("3 tokens but 2 tags", "Give each token one tag.",
    ...                  file="train/seq.out", line=7))
    train/seq.out:7: 3 tokens but 2 tags. Give each token one tag.
    """

    def __init__(self, problem, remedy, *, file=None, line=None):
        self.problem = problem
        self.remedy = remedy
        self.file = None if file is None else str(file)
        self.line = line
        super().__init__(problem)

    def __str__(self):
        place = ""
        if self.file is not None:
            place = self.file if self.line is None else f"{self.file}:{self.line}"
            place += ": "
        message = f"{place}{self.problem.rstrip('.')}. {self.remedy}"
        return " ".join(message.splitlines())
