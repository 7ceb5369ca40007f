"""Counts of splits."""

import json

import pytest

from keras_slu.data.statistics import statistics
from keras_slu.errors import InputError


def write(path, *items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


@pytest.fixture
def found(tmp_path):
    def slot(name, start, end):
        return {"name": name, "start": start, "end": end}

    train = write(
        tmp_path / "train.jsonl",
        {"text": "Play jude", "intent": "play", "slots": [slot("song", 5, 9)]},
        {"text": "play it, stop it", "intent": "play#stop"},
        {
            "text": "a b c",
            "intent": "stop#play",
            "slots": [slot("song", 0, 1), slot("song", 4, 5), slot("day", 2, 3)],
        },
    )
    dev = write(tmp_path / "dev.jsonl", {"text": "play Fly fly"}, {"text": "stop"})
    return statistics({"train": train, "dev": dev})


def test_counts(found):
    train = found["splits"]["train"]
    assert train["length"].pop("mean") == pytest.approx(10 / 3)
    assert train == {
        "utterances": 3,
        "with_several_intents": 2,
        "without_intent": 0,
        "without_slots": 1,
        "slots": 4,
        "tokens": 10,
        "words": 8,
        "length": {"median": 3, "p90": 5, "p99": 5, "max": 5},
    }
    assert found["splits"]["dev"]["without_intent"] == 2


def test_words_that_training_lacks(found):
    dev = found["splits"]["dev"]
    assert dev["unknown_tokens"] == 2 / 4
    assert dev["unknown_words"] == 1 / 3


def test_tables_of_labels(found):
    assert list(found["intents"].items()) == [
        ("", {"train": 0, "dev": 2}),
        ("play#stop", {"train": 2, "dev": 0}),
        ("play", {"train": 1, "dev": 0}),
    ]
    assert list(found["slots"].items()) == [
        ("song", {"train": 3, "dev": 0}),
        ("day", {"train": 1, "dev": 0}),
    ]


def test_labels_that_occur_together(found):
    # Utterances, not spans: one has two songs.
    assert found["cooccurrence"] == {
        "play": {"song": 2, "day": 1},
        "stop": {"day": 1, "song": 1},
    }


def test_it_is_ready_for_json(found):
    assert json.loads(json.dumps(found)) == found


def test_faulty_data_are_told(tmp_path):
    path = write(tmp_path / "train.jsonl", {"text": "a"}, {"text": 5})
    with pytest.raises(InputError) as error:
        statistics({"train": path})
    assert error.value.line == 2


def test_what_is_known_of_atis(shared_data):
    folder = shared_data("atis")
    found = statistics({split: folder / split for split in ("train", "dev", "test")})
    test = found["splits"]["test"]
    assert test["utterances"] == 893
    assert test["with_several_intents"] == 15
    assert test["tokens"] == 9164
    assert found["splits"]["train"]["words"] == 867
    assert found["splits"]["train"]["length"]["max"] == 46
    lacking = [
        name for name, n in found["slots"].items() if not n["train"] and n["test"]
    ]
    assert len(lacking) == 4
