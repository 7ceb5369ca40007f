"""The `keras-slu` command: one file a command, put together in `main`.

These modules import nothing but typer and the standard library at their top,
so that `--help` answers at once; a command imports what it needs when it runs.
"""
