"""A tiny translation training: its figures, its resumption, its recipe."""

import json

import keras
import numpy as np
import pytest
import tiny
import tiny_translation

import keras_slu
from keras_slu.errors import InputError
from keras_slu.training.recipe import load_recipe
from keras_slu.training.translation_recipe import TranslationRecipe

trains = pytest.mark.slow  # minutes: `make test-slow`

pytest.importorskip("sentencepiece")
pytest.importorskip("sacrebleu")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("parallel")
    tiny_translation.write_parallel(folder)
    return folder


@pytest.fixture(scope="module")
def undisturbed(data, tmp_path_factory):
    from keras_slu.training.translation import train

    run = tmp_path_factory.mktemp("runs") / "undisturbed"
    recipe = TranslationRecipe.model_validate(tiny_translation.recipe_content())
    return recipe, run, train(recipe, data, run)


def test_a_recipe_finds_its_data(data):
    from keras_slu.training.translation_prepare import prepare

    recipe = TranslationRecipe.model_validate(tiny_translation.recipe_content())
    prepared = prepare(recipe, data)
    train = prepared.splits["train"]
    assert len(train.source_ids) == len(train.target_ids) > 0
    assert prepared.pieces.decode(train.target_ids[0]) == train.targets[0]


@trains
def test_it_learns_to_translate(undisturbed):
    _, run, figures = undisturbed
    assert json.loads((run / "metrics.json").read_text()) == figures
    assert figures["test"]["greedy"]["bleu"] > 50
    assert "tok:13a" in figures["test"]["beam_4"]["signature"]
    best = max(figures["history"], key=lambda logs: logs["val_bleu"])
    assert figures["dev"]["greedy"]["bleu"] == pytest.approx(100 * best["val_bleu"])
    assert figures["dev"]["sentences"] == tiny_translation.SPLITS["dev"]
    assert "BLEU" in (run / "README.md").read_text()

    translator = keras_slu.load(run)
    assert translator.translate("a red ball").text == "ein rot Ball"
    texts = ["a red ball", "", "a " * 40]
    found = translator.translate(texts)
    assert [translation.truncated for translation in found] == [False, False, True]
    for translation, text in zip(found, texts, strict=True):
        alone = translator.translate(text)
        assert alone.score == pytest.approx(translation.score, abs=1e-4)


class Killed(Exception):
    pass


class Kill(keras.callbacks.Callback):
    """Ends the training within an epoch."""

    def on_train_batch_end(self, batch, logs=None):
        if self.model.optimizer.iterations == 34:
            raise Killed


@trains
def test_an_interrupted_training_ends_with_the_same_weights(
    data, undisturbed, tmp_path
):
    from keras_slu.training.translation import train

    recipe, run, figures = undisturbed
    with pytest.raises(Killed):
        train(recipe, data, tmp_path / "run", callbacks=[Kill()])
    assert not (tmp_path / "run" / "metrics.json").exists()
    resumed = train(recipe, data, tmp_path / "run")
    timeless = ("seconds", "seconds_per_epoch", "seconds_per_step")
    for one, other in zip(resumed["history"], figures["history"], strict=True):
        for name in one.keys() - set(timeless):
            assert one[name] == pytest.approx(other[name], abs=1e-5)
    some, others = tiny.weights_of(tmp_path / "run"), tiny.weights_of(run)
    for name, weight in others.items():
        np.testing.assert_allclose(some[name], weight, atol=1e-5, err_msg=name)


@trains
def test_the_losses_of_dev_are_those_of_training(data, undisturbed):
    from keras_slu.training.translation_prepare import prepare

    recipe, run, figures = undisturbed
    dev = prepare(recipe, data).splits["dev"]
    losses = keras_slu.load(run).losses(dev.source_ids, dev.target_ids)
    tokens = sum(len(ids) + 1 for ids in dev.target_ids)
    best = figures["history"][figures["epochs"] - 1]
    assert losses.sum() / tokens == pytest.approx(best["val_loss"], rel=1e-4)


@pytest.mark.parametrize(
    "key, value, told",
    [
        ("model", {"dim": 30}, "`dim` a multiple of `num_heads`"),
        ("model", {"cross_capsules": [3]}, "from 1 to 2"),
        (
            "model",
            {"routing": "em", "cross_capsules": [1], "dim": 256},
            "256 / 8, a square",
        ),
        ("model", {"dims": 30}, "unknown key `model.dims`"),
        ("model", {"dropout": 2}, "`model.dropout` cannot be 2"),
        ("training", {"batch_size": 8}, "`batch_size` is not for translation"),
        ("text", {"max_tokens": 1}, "`text.max_tokens` cannot be 1"),
    ],
)
def test_faults_in_a_recipe_are_told(tmp_path, key, value, told):
    content = {**tiny_translation.recipe_content(), key: value}
    path = tmp_path / "recipe.yaml"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as error:
        load_recipe(path)
    assert told in str(error.value)


def test_the_recipes_on_file_can_be_read(request):
    folder = request.config.rootpath / "training" / "recipes"
    paths = sorted(folder.glob("translation-*.yaml"))
    names = {load_recipe(path)[0].name for path in paths}
    assert names == {path.stem for path in paths} and "translation-plain" in names
