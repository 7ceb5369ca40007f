"""Commands for intents and slots, told the run of another task."""

import marked
import pytest
import untrained

# Keras warns of an optimizer that is not loaded.
pytestmark = pytest.mark.filterwarnings("ignore:Skipping variable loading")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("marks") / "run"
    folder.mkdir()
    marked.make_model().save(folder / "model.keras")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("calibrate", "RUN", "embedded:home/dev"),
        ("attention", "RUN", "play it"),
        ("evaluate", "RUN", "embedded:home/dev"),
        ("compare", "RUN", "OTHER", "embedded:home/dev"),
        ("verify", "RUN", "RUN", "--data", "embedded:home/dev"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_they_say_so(command, refused, run, tmp_path, arguments):
    other = tmp_path / "other"
    other.mkdir()
    untrained.make_model().save(other / "model.keras")
    places = {"RUN": run, "OTHER": other}
    told = command(*(places.get(part, part) for part in arguments))
    refused(told, run, "of another task", "intents and slots")
    assert sorted(path.name for path in run.iterdir()) == ["model.keras"]
