"""The benchmark of unknown intents, on a corpus of seconds."""

import importlib.util
import json
from pathlib import Path

import pytest
import tiny
import yaml

import keras_slu

PATH = Path(__file__).parents[2] / "benchmarks" / "unknown_intents.py"


@pytest.fixture
def benchmark():
    spec = importlib.util.spec_from_file_location("unknown_intents", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_intent_is_left_out_and_the_result_kept(benchmark, tmp_path, capsys):
    tiny.write_tokenised(tmp_path)
    recipe = tiny.make_recipe({}, {"epochs": 2})
    path, results = tmp_path / "recipe.yaml", tmp_path / "results"
    path.write_text(yaml.safe_dump(recipe.model_dump(mode="json")))
    benchmark.main(path, results, "play")
    shown = capsys.readouterr().out.splitlines()[-2:]
    model = keras_slu.load(results / "play").model
    assert model.intents and not any("play" in name for name in model.intents)
    figures = json.loads((results / "play.json").read_text())
    lines = (tmp_path / "test.jsonl").read_text().splitlines()
    has_it = ["play" in json.loads(line)["intent"] for line in lines]
    assert figures["utterances"] == sum(has_it) > 0
    for name in benchmark.FIGURES:
        assert 0.0 <= figures[name] <= 1.0
        assert all(f"{name} {figures[name]:.4f}" in line for line in shown)

    # Once more it trains nothing: what is on file is shown.
    (results / "play.json").write_text(json.dumps({**figures, "auroc": 0.125}))
    (tmp_path / "train.jsonl").unlink()
    benchmark.main(path, results, "play")
    assert "auroc 0.1250" in capsys.readouterr().out
