"""What a command shows while it works."""

from rich.console import Console


def status(message, quiet=False):
    """A spinner beside a message, for `with`.

    On standard error, so that standard output holds results alone, and only
    where that is a terminal.

    Args:
        message: str.
        quiet: bool. Whether to show nothing. Defaults to `False`.
    """
    return Console(stderr=True, quiet=quiet).status(message)
