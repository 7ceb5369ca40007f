"""`keras-slu data validate`: findings told, and exit codes."""

import json
import subprocess
import sys

import pytest

GOOD = {"text": "play it", "intent": "play"}


def write(path, *items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


@pytest.fixture
def good(tmp_path):
    """Data of which there is nothing to say."""
    items = [{**GOOD, "text": f"play {n}"} for n in range(5)]
    return write(tmp_path / "good.jsonl", *items)


@pytest.fixture
def faulty(tmp_path):
    slots = [{"name": "song", "start": 5, "end": 6}]
    items = [{**GOOD, "text": f"play it {n}", "slots": slots} for n in range(8)]
    return write(tmp_path / "faulty.jsonl", {"text": 5}, *items)


def test_good_data(command, good):
    result = command("data", "validate", good)
    assert (result.code, result.err) == (0, b"")
    assert result.out == b"5 train utterances: 0 errors, 0 warnings\n"


def test_warnings_alone(command, tmp_path):
    path = write(tmp_path / "a.jsonl", *[GOOD] * 7)
    result = command("data", "validate", path)
    assert result.code == 0
    lines = result.out.decode().splitlines()
    assert lines[0] == "warning: repeats within a split: 6"
    assert lines[2] == f"  {path}:2: repeats {path}:1"
    assert lines[-2:] == [
        "  and 1 more",
        "7 train utterances: 0 errors, 6 warnings",
    ]


def test_errors(command, faulty):
    result = command("data", "validate", faulty)
    assert result.code == 1
    shown = result.out.decode()
    assert "error: records that break their format: 1\n" in shown
    assert f"{faulty}:1: " in shown
    assert "error: slots that do not sit on token boundaries: 8\n" in shown
    assert f"{faulty}:2: slot 'song' spans 5:6 'i', but the tokens there " in shown
    assert f"{faulty}:6:" in shown and f"{faulty}:7:" not in shown
    assert "  and 3 more\n" in shown
    assert "9 errors" in shown.splitlines()[-1]


def test_all_are_shown_when_asked_for(command, faulty):
    shown = command("data", "validate", faulty, "--all").out.decode()
    assert all(f"{faulty}:{line}: " in shown for line in range(1, 10))
    assert " more" not in shown


def test_json(command, faulty, good):
    result = command("data", "validate", faulty, good, "--json")
    assert result.code == 1
    told = json.loads(result.out)
    assert told["utterances"] == {"train": 8, "dev": 5}
    severities = [finding["severity"] for finding in told["findings"]]
    assert told["errors"] == severities.count("error") == 9
    assert told["warnings"] == severities.count("warning")
    assert told["findings"][0] == {
        "kind": "format",
        "severity": "error",
        "file": str(faulty),
        "line": 1,
        "problem": '"text" is 5',
        "remedy": "Make it a string.",
    }


def test_json_without_findings(command, good):
    result = command("data", "validate", good, "--json")
    assert json.loads(result.out) == {
        "findings": [],
        "utterances": {"train": 5},
        "errors": 0,
        "warnings": 0,
    }


def test_brackets_and_colons_are_shown_as_they_are(command, tmp_path):
    item = {"text": "[bold]  :100: play", "intent": "[red]x"}
    folder = tmp_path / "[dim]:smile:"
    folder.mkdir()
    shown = command("data", "validate", write(folder / "a.jsonl", item)).out.decode()
    assert f"{folder}/a.jsonl:1: two spaces in a row in '[bold]  :100: play'" in shown
    assert "'[red]x', only once in training" in shown
    assert "\x1b" not in shown


def test_a_folder_of_splits(command, good):
    for split in ("train.jsonl", "dev.data.jsonl", "test.jsonl"):
        (good.parent / split).write_text(good.read_text())
    result = command("data", "validate", good.parent)
    assert result.code == 0
    assert b"5 train, 5 dev, 5 test utterances" in result.out
    (good.parent / "dev.jsonl").write_text(good.read_text())
    result = command("data", "validate", good.parent)
    assert result.code == 2
    assert b"dev.data.jsonl, dev.jsonl" in result.err


def test_a_recipe(command, good, tmp_path):
    path = tmp_path / "recipe.yaml"
    lines = ["name: x", "data:", f"  train: {good.name}", "  dev: embedded:home/dev"]
    lines += ["text:", "  tokenizer: whitespace", "  max_tokens: 1"]
    path.write_text("\n".join(lines))
    told = json.loads(command("data", "validate", path, "--json").out)
    assert told["utterances"] == {"train": 5, "dev": 151}
    cut = [f["file"] for f in told["findings"] if f["kind"] == "too_long"]
    assert cut.count(str(good)) == 5


def test_a_faulty_recipe_is_told(command, refused, tmp_path):
    path = tmp_path / "recipe.yaml"
    path.write_text("name: x\ndata:\n  train: a\n")
    refused(command("data", "validate", path), path, "data.dev")


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_what_cannot_be_read_is_told(command, refused, good, tmp_path, form):
    missing = tmp_path / "none.jsonl"
    refused(command("data", "validate", good, missing, *form), missing, "no such file")
    result = command("data", "validate", good, "--from", "nothing", *form)
    refused(result, "nothing", "json-lines")


def test_it_needs_no_tensorflow(good):
    code = (
        "import sys\n"
        "from keras_slu.cli.main import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print('tensorflow' in sys.modules, 'keras' in sys.modules)\n"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, "data", "validate", good],
        capture_output=True,
        text=True,
    ).stdout
    assert out.splitlines()[-1] == "False False"
