"""Fixtures that every test may use."""

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
