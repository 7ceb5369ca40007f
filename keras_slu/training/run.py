"""A run: the folder in which a training lives."""

import json
import shutil
from pathlib import Path

import yaml

from keras_slu.errors import InputError
from keras_slu.files import write_text


class Run:
    """A run folder and what is in it.

    `recipe.yaml`, the recipe as it was run; `model.keras`, the selected model
    with weights, vocabulary, tokenizer and labels; `metrics.json`, scores and
    history; `README.md`, the model card; `tensorboard/`. While the training
    lasts, `backup/` and `best.weights.h5`.

    Args:
        folder: path of the folder; it need not exist.
    """

    def __init__(self, folder):
        self.folder = Path(folder)
        self.recipe = self.folder / "recipe.yaml"
        self.model = self.folder / "model.keras"
        self.metrics = self.folder / "metrics.json"
        self.card = self.folder / "README.md"
        self.backup = self.folder / "backup"
        self.best_weights = self.folder / "best.weights.h5"
        self.tensorboard = self.folder / "tensorboard"

    @property
    def is_finished(self):
        return self.metrics.exists()

    def claim(self, recipe):
        """Makes the folder the run of `recipe`, or finds that it is.

        Raises:
            InputError: when the folder holds something else.
        """
        if self.recipe.exists():
            if not self._is_of(recipe):
                raise InputError(
                    "holds the run of another recipe or seed",
                    "Name another folder with --run, or remove this one.",
                    file=self.folder,
                )
        elif self.folder.exists() and not self._is_free():
            raise InputError(
                "is not an empty folder and holds no run",
                "Name another folder with --run.",
                file=self.folder,
            )
        else:
            content = recipe.model_dump(mode="json")
            write_text(self.recipe, yaml.safe_dump(content, sort_keys=False))

    def _is_of(self, recipe):
        """Whether the recipe on file is this one; new keys have their defaults."""
        try:
            content = yaml.safe_load(self.recipe.read_text(encoding="utf-8"))
            return type(recipe).model_validate(content) == recipe
        except (yaml.YAMLError, ValueError):
            return False

    def _is_free(self):
        """Whether nothing is there, but what a kill at the start may leave."""
        return self.folder.is_dir() and not (
            set(self.folder.iterdir()) - set(self._partial(self.recipe))
        )

    def _partial(self, path):
        """What `atomic_path` of `path` leaves when it is killed."""
        return self.folder.glob(f".{path.name}.*")

    def clean(self):
        """Removes what a finished run does not need."""
        self.best_weights.unlink(missing_ok=True)
        shutil.rmtree(self.backup, ignore_errors=True)
        written = (self.recipe, self.model, self.card, self.metrics, self.best_weights)
        for path in written:
            for partial in self._partial(path):
                partial.unlink()

    def read_metrics(self):
        """The figures of a finished run, a dict.

        Raises:
            InputError: when the file is damaged.
        """
        try:
            return json.loads(self.metrics.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(
                f"is damaged ({error})",
                "Copy the run again, or remove it and train again.",
                file=self.metrics,
            ) from None


def write_result(figures, folder):
    """Writes a run's figures, without its history, as a result on file.

    Returns:
        path of the file, `<recipe>-seed<k>.json` in `folder`.
    """
    path = Path(folder) / f"{figures['recipe']}-seed{figures['seed']}.json"
    result = {name: value for name, value in figures.items() if name != "history"}
    write_text(path, json.dumps(result, indent=2) + "\n")
    return path
