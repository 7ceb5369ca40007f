"""`keras-slu demo`: what it says of the run that it has trained."""

import json
import shutil

import pytest

from keras_slu.cli.demo import SENTENCES
from keras_slu.data.home import read_home


def test_it_prints_scores_meanings_and_that_the_exports_agree(
    trained, exported, command, tmp_path, monkeypatch
):
    figures = json.loads((trained.run / "metrics.json").read_text())
    run = tmp_path / "run"
    asked = []

    def train(recipe, folder, run, callbacks):
        asked.append((recipe.name, recipe.data.test, run))
        shutil.copytree(trained.run, run)
        return figures

    def export_saved_model(run, folder, name):
        return exported[0]

    def export_litert(run, path):
        path.parent.mkdir()
        shutil.copy(exported[1], path)

    # The real training and exports take minutes; `make demo` runs them.
    monkeypatch.setattr("keras_slu.training.fit.train", train)
    monkeypatch.setattr(
        "keras_slu.export.saved_model.export_saved_model", export_saved_model
    )
    monkeypatch.setattr("keras_slu.export.litert.export_litert", export_litert)
    result = command("demo", "--run", run)
    assert result.code == 0, result.err.decode()
    assert asked == [("han-home", "embedded:home/test", run)]
    shown = result.out.decode()
    assert f"{100 * figures['test']['overall_accuracy']:.2f}" in shown
    for sentence in SENTENCES:
        assert sentence in shown
    assert "intent " in shown and f"keras-slu predict {run}" in shown
    assert "float32" in shown and "Differences" not in shown


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_sentences_are_new(split):
    assert not {u.text for u in read_home(split)} & set(SENTENCES)
