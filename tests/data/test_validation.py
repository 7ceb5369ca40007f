"""All checks together, on made and on published data."""

import json
from collections import Counter
from pathlib import Path

import pytest

from keras_slu.data.findings import KINDS
from keras_slu.data.validation import validate
from keras_slu.errors import InputError


def write(path, *items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def findings_of(paths, **settings):
    findings = []
    counts = validate(paths, findings.append, **settings)
    assert {finding.kind for finding in findings} <= set(KINDS)
    return counts, findings


@pytest.fixture(scope="module")
def published(shared_data):
    """Findings in the three splits of a published data set."""

    def find(name):
        folder = shared_data(name)
        return findings_of(
            {split: folder / split for split in ("train", "dev", "test")}
        )

    return find


def in_test(findings, kind):
    return [f for f in findings if f.kind == kind and "/test/" in f.file]


def repeats_of_training(findings):
    """How many utterances of each split repeat one of training."""
    repeats = [f for f in findings if f.kind == "across_splits"]
    places = [f.file for f in repeats if "/train/" in f.problem]
    return Counter(Path(place).parent.name for place in places)


def test_what_is_known_of_atis(published):
    counts, findings = published("atis")
    assert counts == {"train": 4478, "dev": 500, "test": 893}
    assert {finding.severity for finding in findings} == {"warning"}
    tags = {f.problem.split("'")[1] for f in in_test(findings, "unseen_tag")}
    assert tags == {
        *("B-booking_class", "B-compartment", "B-flight", "B-stoploc.airport_code"),
        *("I-flight_number", "I-state_name"),
    }
    intents = {f.problem.split("'")[1] for f in in_test(findings, "unseen_intent")}
    assert intents == {
        *("atis_day_name", "atis_airfare#atis_flight", "atis_flight#atis_airline"),
        "atis_flight_no#atis_airline",
    }
    assert repeats_of_training(findings) == {"test": 13, "dev": 52}


def test_what_is_known_of_snips(published):
    counts, findings = published("snips")
    assert counts == {"train": 13084, "dev": 700, "test": 700}
    assert repeats_of_training(findings) == {"test": 26, "dev": 15}
    assert not [f for f in findings if f.kind.startswith("unseen")]


def test_doubled_spaces_of_snips_are_found(shared_data, tmp_path):
    # The published training file doubles a space in 1,248 lines; our copy has
    # them single, so they are doubled again here.
    source = shared_data("snips") / "train"
    lines = (source / "seq.in").read_text().splitlines()
    spaced = [line.replace(" ", "  ", 1) for line in lines[:1248]]
    text = "".join(f"{line}\n" for line in [*spaced, *lines[1248:]])
    (tmp_path / "seq.in").write_text(text)
    for name in ("seq.out", "label"):
        (tmp_path / name).write_text((source / name).read_text())
    counts, findings = findings_of({"train": tmp_path})
    found = [f.line for f in findings if f.kind == "format"]
    assert found == list(range(1, 1249))
    assert counts == {"train": len(lines)}


def test_a_fault_of_a_record_is_found_and_the_rest_is_read(tmp_path):
    good = {"text": "play it", "intent": "play"}
    path = write(tmp_path / "a.jsonl", good, {"text": 5}, {**good, "text": "go"})
    counts, findings = findings_of({"train": path})
    assert counts == {"train": 2}
    [fault] = [finding for finding in findings if finding.severity == "error"]
    assert (fault.kind, fault.file, fault.line) == ("format", str(path), 2)
    assert '"text" is 5' in fault.problem


def test_a_file_without_a_good_record(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": 5}, {"text": 6})
    counts, findings = findings_of({"train": path})
    assert counts == {"train": 0}
    assert [finding.line for finding in findings] == [1, 2]


def test_what_cannot_be_read_at_all_is_raised(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        findings_of({"train": tmp_path / "none.jsonl"})


def test_slots_of_raw_text_are_held_to_the_tokenizer_given(tmp_path):
    from keras_slu.text.tokenizer import Tokenizer

    slots = [{"name": "song", "start": 5, "end": 9}]
    path = write(tmp_path / "a.jsonl", {"text": "play jude!", "slots": slots})
    kinds = [finding.kind for finding in findings_of({"train": path})[1]]
    assert "slot_off_tokens" not in kinds
    whitespace = Tokenizer("whitespace")
    _, findings = findings_of({"train": path}, tokenizer=whitespace)
    assert [f.kind for f in findings if f.severity == "error"] == ["slot_off_tokens"]


def test_the_limit_of_tokens_is_the_one_given(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": "a b c"}, {"text": "a b c d"})
    kinds = Counter(f.kind for f in findings_of({"train": path}, max_tokens=3)[1])
    assert kinds["too_long"] == 1


def test_reading_is_watched(tmp_path):
    path = write(tmp_path / "a.jsonl", {"text": "a"}, {"text": "b"})
    seen = []

    def watch(split, utterances):
        for utterance in utterances:
            seen.append((split, utterance.text))
            yield utterance

    findings_of({"train": path, "dev": path}, watch=watch)
    assert seen == [(s, text) for s in ("train", "dev") for text in "ab"]
