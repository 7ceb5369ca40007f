"""Fixtures that every test may use."""

from functools import partial
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data():
    """Gives the path of a shared data set, or skips where there is none."""

    def find(name):
        path = SHARED / name
        if not path.exists():
            pytest.skip(f"needs the data set {name} in ../shared/data")
        return path

    return find


@pytest.fixture(scope="session")
def fresh_process():
    """A process that has built no model: `run(code, folder)`."""
    from fresh_process import FreshProcess

    process = FreshProcess()
    yield process
    process.stop()


# Imported late, for the tests of plain Python need no Keras.


@pytest.fixture
def check_layer(fresh_process, tmp_path):
    """`checks.check_layer`, which says what it takes."""
    from checks import check_layer

    return partial(check_layer, fresh_process=fresh_process, folder=tmp_path)


@pytest.fixture
def check_model(fresh_process, tmp_path):
    """`checks.check_model`, which says what it takes."""
    from checks import check_model

    return partial(check_model, fresh_process=fresh_process, folder=tmp_path)
