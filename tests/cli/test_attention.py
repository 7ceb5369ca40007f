"""`keras-slu attention`: a picture, the numbers, and what it refuses."""

import functools
import json
import os
from types import SimpleNamespace

import numpy as np
import pytest
import untrained

import keras_slu
from keras_slu.training import pictures

# Keras warns of an optimizer that is not loaded.
pytestmark = pytest.mark.filterwarnings("ignore:Skipping variable loading")

TEXT = "Play hey jude, please"
TOKENS = ["Play", "hey", "jude", ",", "please"]


def make_run(folder, **settings):
    folder.mkdir()
    untrained.make_model(**settings).save(folder / "model.keras")
    return folder


@pytest.fixture(autouse=True, scope="module")
def loaded_once():
    """Loading takes seconds, and is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keras_slu, "load", functools.cache(keras_slu.load))
        yield


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("attention") / "run", num_layers=2)


@pytest.fixture(scope="module")
def plain_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attention") / "plain"
    return make_run(folder, interaction=False)


def is_png(path):
    return path.read_bytes().startswith(b"\x89PNG\r\n")


def test_the_numbers_are_probabilities_of_each_layer_and_side(run, command):
    result = command("attention", run, TEXT, "--json")
    assert result.code == 0, result.err.decode()
    content = json.loads(result.out)
    assert (content["text"], content["tokens"]) == (TEXT, TOKENS)
    assert len(content["layers"]) == 2
    for layer in content["layers"]:
        assert list(layer) == ["intent", "slots"]
        for scores in layer.values():
            assert np.shape(scores) == (5, 5)
            np.testing.assert_allclose(np.sum(scores, axis=1), 1.0, atol=1e-5)
        assert not np.allclose(layer["intent"], layer["slots"], atol=1e-4)
    assert "attention.png" not in os.listdir(run)


def test_the_picture_is_in_the_run_or_where_it_is_wanted(run, command, tmp_path):
    pytest.importorskip("matplotlib")
    result = command("attention", run, TEXT)
    assert result.code == 0, result.err.decode()
    assert "5 tokens, 2 layers" in result.out.decode()
    assert is_png(run / "attention.png")
    (run / "attention.png").unlink()
    wanted = tmp_path / "deep" / "figure.png"
    result = command("attention", run, TEXT, "--json", "--output", wanted)
    assert is_png(wanted)
    assert json.loads(result.out)["tokens"] == TOKENS
    assert os.listdir(run) == ["model.keras"]


def test_a_long_text_is_cut_where_the_model_cuts_it(run, command):
    result = command("attention", run, "play " * 40, "--json")
    content = json.loads(result.out)
    assert content["tokens"] == ["play"] * 16
    assert np.shape(content["layers"][0]["slots"]) == (16, 16)


def test_a_model_without_attention_is_told(plain_run, command, refused):
    result = command("attention", plain_run, TEXT, "--json")
    refused(result, plain_run, "HAN", "no attention between intent and slots")


def test_an_export_is_told(run, command, refused, monkeypatch):
    monkeypatch.setattr(keras_slu, "load", lambda path: SimpleNamespace(parse=None))
    refused(command("attention", run, TEXT, "--json"), run, "is an export")


def test_no_token_no_run_and_no_png_are_told(run, command, refused, tmp_path):
    refused(command("attention", run, "  ", "--json"), "holds no token")
    refused(command("attention", tmp_path, TEXT, "--json"), "no finished run")
    picture = tmp_path / "figure.pdf"
    refused(command("attention", run, TEXT, "--output", picture), picture, ".png")
    assert os.listdir(tmp_path) == []


def test_without_matplotlib_the_picture_is_refused_and_the_numbers_are_not(
    run, command, refused, monkeypatch
):
    monkeypatch.setattr(pictures, "can_draw", lambda: False)
    refused(command("attention", run, TEXT), "matplotlib", "keras-slu[report]")
    assert command("attention", run, TEXT, "--json").code == 0
