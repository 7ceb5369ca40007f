"""One tiny training that the tests of this folder share."""

from types import SimpleNamespace

import pytest
import tiny


@pytest.fixture(scope="session")
def tiny_data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    tiny.write_tokenised(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_run(tiny_data, tmp_path_factory):
    """An undisturbed training: its `recipe`, `folder` and `figures`."""
    from keras_slu.training.fit import train

    recipe = tiny.make_recipe()
    folder = tmp_path_factory.mktemp("runs") / "undisturbed"
    figures = train(recipe, tiny_data, folder)
    return SimpleNamespace(recipe=recipe, folder=folder, figures=figures)
