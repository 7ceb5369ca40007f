"""Exports a run as a SavedModel, complete or not at all."""

import shutil
import tempfile
from pathlib import Path

from keras_slu.errors import InputError
from keras_slu.export.child import call_in_child


def export_saved_model(run, folder, name=None, version=None, task=None):
    """Writes `folder/<name>/<version>/`, ready for TensorFlow Serving.

    It is written beside its place in a process of its own, loaded, compared
    with the run on some texts, and only then moved to its place.

    Args:
        run: path of a finished run's folder.
        folder: path. Where models lie.
        name: str. The model's name. Defaults to that of the run's folder.
        version: int. Defaults to `None`, one more than the highest there.
        task: str. Of a run of many tasks the one to export, with its skills only.
            Defaults to `None`, all of them, a signature each.

    Returns:
        path of the version's folder.

    Raises:
        InputError: for a damaged run, a version that exists, or a place that
            cannot be written. Nothing is left behind.
    """
    name = Path(run).resolve().name if name is None else name
    if name in ("", ".", "..") or Path(name).name != name:
        raise InputError(f"{name!r} is no name of a folder", "Give a plain name.")
    model = Path(folder) / name
    versions = saved_versions(model)
    if version is None:
        version = max(versions, default=0) + 1
    place = model / str(version)
    if place.exists():
        raise InputError(
            "exists already", "Name another version, or none for the next.", file=place
        )
    try:
        model.mkdir(parents=True, exist_ok=True)
        # TensorFlow Serving passes over what is not named by a number.
        work = Path(tempfile.mkdtemp(dir=model, prefix=f".{version}."))
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror})", "Name another place.", file=model
        ) from None
    try:
        written = work / "written"
        call_in_child(
            "keras_slu.export.saved_model_writer:write_saved_model",
            run=str(run),
            folder=str(written),
            name=name,
            task=task,
        )
        _move(written, place)
    finally:
        shutil.rmtree(work)
        _remove_if_empty(model)
    return place


def saved_versions(model):
    """The versions in a model's folder: path of each by its number, a dict."""
    return {
        int(path.parent.name): path.parent
        for path in Path(model).glob("*/saved_model.pb")
        if path.parent.name.isdecimal()
    }


def newest_version(path):
    """The SavedModel's folder that `path` is or holds, or `None`."""
    path = Path(path)
    if (path / "saved_model.pb").exists():
        return path
    versions = saved_versions(path)
    return versions[max(versions)] if versions else None


def _move(written, place):
    try:
        written.rename(place)
    except OSError:  # another export was faster
        raise InputError(
            "exists already", "Export again for the next version.", file=place
        ) from None


def _remove_if_empty(folder):
    try:
        folder.rmdir()
    except OSError:
        pass  # it holds something
