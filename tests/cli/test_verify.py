"""`keras-slu verify` and `benchmark`: exports beside their run."""

import json
import zipfile

import numpy as np
import pytest

from keras_slu.export.latency import summary
from keras_slu.files import atomic_path


def test_exports_agree_with_their_run(trained, exported, raw_data, command):
    data = raw_data / "test.jsonl"
    result = command("verify", trained.run, *exported, "--data", data, "--json")
    assert result.code == 0, result.err.decode()
    shown = json.loads(result.out)
    assert [export["export"] for export in shown["exports"]] == list(map(str, exported))
    for export in shown["exports"]:
        assert (export["differences"], export["cut"]) == ([], 0)
        assert export["scores"] == shown["run"]
        assert 0 <= export["largest"] < 1e-4


def test_what_an_export_cuts_is_counted_apart(trained, exported, tmp_path, command):
    data = tmp_path / "long.jsonl"
    words = " ".join(["play the red lamp1"] * 10)
    data.write_text(json.dumps({"text": words, "intents": ["play"]}) + "\n")
    result = command("verify", trained.run, exported[1], "--data", data, "--json")
    [export] = json.loads(result.out)["exports"]
    assert (export["cut"], export["differences"]) == (1, [])


def relabelled(path, copy, quantize):
    """A copy of a `.tflite` file whose tags have other names."""
    with zipfile.ZipFile(path) as archive:
        contract = json.loads(archive.read("contract.json"))
    contract["tags"] = [tag.replace("kind", "colour") for tag in contract["tags"]]
    contract["quantize"] = quantize
    with atomic_path(copy) as temporary:
        temporary.write_bytes(path.read_bytes())
        with zipfile.ZipFile(temporary, "a") as archive:
            archive.writestr("contract.json", json.dumps(contract))
    return copy


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(("quantize", "code"), [("none", 1), ("dynamic", 0)])
def test_a_float_export_that_differs_is_told(
    trained, exported, raw_data, tmp_path, command, quantize, code
):
    other = relabelled(exported[1], tmp_path / "other.tflite", quantize)
    data = raw_data / "test.jsonl"
    result = command("verify", trained.run, other, "--data", data)
    assert result.code == code, result.err.decode()
    shown = result.out.decode()
    assert f"Differences of {other}" in shown
    assert '"colour"' in shown and '"kind"' in shown


def test_a_path_that_is_no_export(trained, tmp_path, raw_data, command, refused):
    data, missing = raw_data / "test.jsonl", tmp_path / "none.tflite"
    refused(command("verify", trained.run, missing, "--data", data), missing)


def test_benchmark_times_both_forms(exported, raw_data, command):
    data = raw_data / "test.jsonl"
    result = command("benchmark", *exported, "--data", data, "--json")
    assert result.code == 0, result.err.decode()
    rows = json.loads(result.out)["exports"]
    assert [row["threads"] for row in rows][0] is None
    assert len(rows) == 3 and rows[1]["threads"] == 1
    for row in rows:
        assert 0 < row["median_ms"] <= row["p95_ms"]
        assert row["megabytes"] > 0 and row["utterances"] == 9


def test_the_summary():
    assert summary(np.arange(1, 101.0)) == {
        "utterances": 100,
        "median_ms": 50.5,
        "p95_ms": 95.05,
    }
