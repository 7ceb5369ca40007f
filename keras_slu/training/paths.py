"""Where the paths of a recipe lead."""

from pathlib import Path


def resolve(path, folder):
    """A recipe's path as seen from here; embedded corpora have none."""
    return path if path.startswith("embedded:") else Path(folder) / path
