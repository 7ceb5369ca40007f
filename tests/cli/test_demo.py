"""`keras-slu demo`: what it says of the run that it has trained."""

import json

import pytest

import keras_slu
from keras_slu.cli.demo import SENTENCES
from keras_slu.data.home import read_home


def test_it_prints_the_scores_and_what_sentences_mean(
    trained, command, tmp_path, monkeypatch
):
    figures = json.loads((trained.run / "metrics.json").read_text())
    parser = keras_slu.load(trained.run)
    calls = []

    def train(recipe, folder, run, callbacks):
        calls.append((recipe.name, recipe.data.test, run))
        return figures

    # The real training takes minutes; `make demo` runs it.
    monkeypatch.setattr("keras_slu.training.fit.train", train)
    monkeypatch.setattr(keras_slu, "load", lambda run: parser)
    result = command("demo", "--run", tmp_path / "run")
    assert result.code == 0, result.err.decode()
    assert calls == [("han-home", "embedded:home/test", tmp_path / "run")]
    shown = result.out.decode()
    assert f"{100 * figures['test']['overall_accuracy']:.2f}" in shown
    for sentence in SENTENCES:
        assert sentence in shown
    assert "intent " in shown and f"keras-slu predict {tmp_path / 'run'}" in shown


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_the_sentences_are_new(split):
    assert not {u.text for u in read_home(split)} & set(SENTENCES)
