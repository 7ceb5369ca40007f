"""What `keras-slu data` commands are given: files, folders or a recipe."""

from pathlib import Path
from typing import NamedTuple

from keras_slu.errors import InputError
from keras_slu.files import read_lines

SPLITS = ("train", "dev", "test")


class Splits(NamedTuple):
    """Where the data are, and how a recipe would have them read.

    Args:
        paths: dict of split names to paths, training first.
        tokenizer: str. The mode of the tokenizer for raw text.
        max_tokens: int.
    """

    paths: dict[str, str | Path]
    tokenizer: str = "unicode"
    max_tokens: int = 128


def find_splits(train, dev=None, test=None):
    """Finds the data of each split.

    Args:
        train: str. Training data; or, alone, a folder that holds `train`
            (a folder or a file of that name, with any ending) and perhaps
            `dev` and `test`; or, alone, a recipe.
        dev: str. Defaults to none.
        test: str. Defaults to none.

    Returns:
        `Splits`.

    Raises:
        InputError: for a faulty recipe, or for two files of one split.
    """
    if dev is None and test is None:
        if _is_recipe(train):
            return _of_recipe(train)
        inside = {split: _inside(train, split) for split in SPLITS}
        if inside["train"] is not None:
            train, dev, test = inside.values()
    paths = dict(zip(SPLITS, (train, dev, test), strict=True))
    return Splits({split: path for split, path in paths.items() if path is not None})


def _inside(folder, split):
    if not Path(folder).is_dir():
        return None
    found = sorted(
        path for path in Path(folder).iterdir() if path.name.split(".")[0] == split
    )
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise InputError(
            f"holds {names}, all named as {split}",
            "Name the data of each split.",
            file=folder,
        )
    return found[0] if found else None


def _is_recipe(path):
    """Whether a file has recipes' key `data`, and does not begin as Rasa's do."""
    if not path.endswith((".yaml", ".yml")) or not Path(path).is_file():
        return False
    for _, line in read_lines(path):
        if line.startswith(("data:", "nlu:")):
            return line.startswith("data:")
    return False


def _of_recipe(path):
    from keras_slu.training.recipe import load_recipe  # takes pydantic

    recipe, folder = load_recipe(path)
    paths = {
        split: path if path.startswith("embedded:") else folder / path
        for split, path in recipe.data.model_dump(exclude_none=True).items()
    }
    mode = "unicode" if recipe.text.tokenizer == "auto" else recipe.text.tokenizer
    return Splits(paths, mode, recipe.text.max_tokens)
