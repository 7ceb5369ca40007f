"""A run that has learned nothing; its answers are varied."""

import pytest


@pytest.fixture(scope="session")
def untrained_run(tmp_path_factory):
    """The folder of the run of `untrained.make_model`."""
    from untrained import make_model

    folder = tmp_path_factory.mktemp("runs") / "tiny"
    folder.mkdir()
    make_model().save(folder / "model.keras")
    return folder
