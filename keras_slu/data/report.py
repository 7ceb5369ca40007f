"""What readers do with the faults that they find.

A reader `iter_<format>(path, report=raise_errors)` is a generator that yields
`Utterance`s as it reads. It calls `report(severity, fault)` for each fault:
`severity` is `"error"` or `"warning"`, `fault` is an `InputError` with the file
and, where there is one, the line. If `report` returns, an error's record is
left out and reading goes on where it can (damaged gzip data or bytes that are
no UTF-8 end a file); a record with a warning is yielded.
"""

from keras_slu.errors import InputError
from keras_slu.files import read_lines


def raise_errors(severity, fault):
    """Raises an error and passes over a warning: what a reader does by itself."""
    if severity == "error":
        raise fault


def placed(fault, path, line=None):
    """The same fault with its place; a line that it knows itself is kept."""
    return InputError(fault.problem, fault.remedy, file=path, line=fault.line or line)


def attempt(report, path, line, function, *arguments):
    """What the function returns; `None` if it raises a fault, which is reported."""
    try:
        return function(*arguments)
    except InputError as fault:
        error = placed(fault, path, line)
    report("error", error)


def names_left_out(report, path):
    """Makes a function that warns of each thing left out, once a file.

    Args:
        report: function of `(severity, fault)`.
        path: path.

    Returns:
        function of `(what, line=None)`; `what` is a plural.
    """
    told = set()

    def leave_out(what, line=None):
        if what not in told:
            told.add(what)
            fault = InputError(f"{what} are left out", "Nothing here uses them.")
            report("warning", placed(fault, path, line))

    return leave_out


def iter_lines(path, report):
    """Yields what `read_lines` does; reports what it raises, or an empty file."""
    lines = read_lines(path)
    try:
        first = next(lines, None)
        if first is None:
            raise InputError("is empty", "Give it utterances.", file=path)
        yield first
        yield from lines
    except InputError as fault:
        report("error", fault)


def iter_records(path, read_record, report):
    """Reads a file that holds one utterance a line.

    Args:
        path: path.
        read_record: function of `(text, origin, warn)` that gives the
            `Utterance` of a line, `None` for a header, or raises an
            `InputError` without a place; it calls `warn` with such an error
            for a lesser fault.
        report: function of `(severity, fault)`.

    Yields:
        `Utterance`.
    """
    line, name = None, str(path)

    def warn(fault):
        report("warning", placed(fault, path, line))

    for line, text in iter_lines(path, report):
        try:
            if not text or text.isspace():
                raise InputError("an empty line", "Remove it.")
            utterance = read_record(text, f"{name}:{line}", warn)
        except InputError as fault:
            report("error", placed(fault, path, line))
        else:
            if utterance is not None:
                yield utterance
