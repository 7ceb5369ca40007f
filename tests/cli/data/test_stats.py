"""`keras-slu data stats`: tables and JSON."""

import json

import pytest


@pytest.fixture
def data(tmp_path):
    for split, words in (("train", "abc"), ("dev", "cd")):
        lines = [
            json.dumps(
                {
                    "text": f"play {word}",
                    "intent": "play[red]",
                    "slots": [{"name": "song", "start": 5, "end": 6}],
                }
            )
            for word in words
        ]
        (tmp_path / f"{split}.jsonl").write_text("\n".join([*lines, ""]))
    return tmp_path


def rows_of(result):
    """The rows of all tables, in order: the cells of each."""
    assert result.code == 0, result.err.decode()
    lines = result.out.decode().replace("┃", "│").splitlines()
    return [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in lines
        if line.startswith("│")
    ]


def test_tables(command, data):
    rows = rows_of(command("data", "stats", data))
    assert ["utterances", "3", "2"] in rows
    assert ["unknown tokens", "–", "25.0 %"] in rows
    assert ["unknown words", "–", "33.3 %"] in rows
    assert ["length, mean", "2", "2"] in rows
    assert ["play[red]", "3", "2"] in rows
    assert ["song", "3", "2"] in rows
    assert rows[-1] == ["play[red]", "song 5"]


def test_many_slots_of_an_intent_are_cut(command, tmp_path):
    path = tmp_path / "a.jsonl"
    slots = [{"name": f"s{n}", "start": n, "end": n + 1} for n in range(0, 20, 2)]
    item = {"text": "a b c d e f g h i j", "intent": "play", "slots": slots}
    path.write_text(json.dumps(item) + "\n")
    [*_, row] = rows_of(command("data", "stats", path))
    assert "and 2 more" in row[1]


def test_json(command, data):
    result = command(
        "data", "stats", data / "train.jsonl", data / "dev.jsonl", "--json"
    )
    assert result.code == 0
    told = json.loads(result.out)
    assert told["slots"] == {"song": {"train": 3, "dev": 2}}
    assert told["cooccurrence"] == {"play[red]": {"song": 5}}


def test_faulty_data_are_told(command, refused, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": 5}\n')
    refused(command("data", "stats", path), f"{path}:2:")
