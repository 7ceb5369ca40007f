"""Punctuation over a pretrained encoder: training, saving, marks, exports."""

import json
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("keras_hub")
import tiny_encoders  # noqa: E402
from pydantic import ValidationError  # noqa: E402

import keras_slu  # noqa: E402
from keras_slu.data.punctuated_text import read_punctuation  # noqa: E402
from keras_slu.errors import InputError  # noqa: E402
from keras_slu.export.saved_model import export_saved_model  # noqa: E402
from keras_slu.training.punctuation import train  # noqa: E402
from keras_slu.training.punctuation_prepare import build_model  # noqa: E402
from keras_slu.training.punctuation_prepare import compile_model  # noqa: E402
from keras_slu.training.punctuation_prepare import prepare  # noqa: E402
from keras_slu.training.punctuation_recipe import PunctuationRecipe  # noqa: E402

pytestmark = pytest.mark.slow  # minutes: `make test-slow`

TEXT = "unbelievably red lamp don't Ábc 🎵 - 3.5 the song (plays), jjjj " * 5


def make_recipe(model=(), **more):
    return PunctuationRecipe.model_validate(
        {
            "task": "punctuation",
            "name": "talks",
            "data": {n: f"embedded:talks/{n}" for n in ("train", "dev", "test")},
            "window": 16,
            "encoder": {"preset": "preset", "learning_rate": 0.001},
            "model": {"dim": 8, "num_heads": 2, **dict(model)},
            "training": {"epochs": 1, "batch_size": 8, "learning_rate": 0.01},
            **more,
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("data")
    tiny_encoders.write_hub_preset(made / "preset")
    return made


@pytest.fixture(scope="module")
def run(folder, tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "run"
    train(make_recipe({"r_drop": 0.5}), folder, run)
    return run


def test_marks_stand_at_the_last_piece_of_a_word(folder):
    prepared = prepare(make_recipe(), folder)
    words = read_punctuation("embedded:talks/dev", make_recipe().marks)
    marks, pieces = prepared.pieces["dev"].marks, prepared.vocabulary.pieces
    assert (marks >= 0).sum() == len(words) < len(marks)
    assert [prepared.marks[mark] for mark in marks[marks >= 0]] == list(words.marks)
    ids = prepared.pieces["dev"].ids - 1
    ends = np.flatnonzero(marks >= 0)
    first = ids[: ends[0] + 1].tolist()
    assert first == np.concatenate(pieces.ids([words.words[0]])).tolist()


def test_a_run_comes_back_and_answers_however_a_text_is_cut(run):
    punctuator = keras_slu.load(run)
    whole = punctuator.punctuate(TEXT)
    assert "".join(map(str, punctuator.words(TEXT))) == whole  # letter by letter
    assert [word.strip(",.?") for word in whole.split()] == [
        word.strip(",.?") for word in TEXT.split()
    ]


def test_a_stream_that_waits_long_gives_the_marks_of_the_whole(run):
    punctuator = keras_slu.load(run)
    whole = [word.mark for word in punctuator.words([TEXT])]
    stream = punctuator.stream(latency=200)
    found = [*stream.push(TEXT), *stream.end()]
    assert [word.mark for word in found] == whole[: len(found)]


def test_the_saved_model_puts_the_same_marks(run, tmp_path):
    exported = export_saved_model(run, tmp_path / "export")
    from keras_slu.export.punctuation_exports import SavedModelPunctuator

    ours, theirs = keras_slu.load(run), SavedModelPunctuator(exported)
    for text in (TEXT, "", " ... ", "so"):
        assert theirs.punctuate(text) == ours.punctuate(text)
    # A fresh process has not imported what registers the graph's operations.
    code = "import sys, keras_slu as k; print(k.load(sys.argv[1]).punctuate('so so'))"
    command = [sys.executable, "-c", code, str(exported)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout == ours.punctuate("so so") + "\n"


def test_the_encoder_has_a_rate_of_its_own_and_may_stand_still(folder):
    frozen = {"preset": "preset", "trainable": False}
    recipe = make_recipe(encoder=frozen)
    model = build_model(recipe, prepare(recipe, folder))
    assert not model.encoder.encoder.trainable_variables
    assert model.trainable_variables


def test_each_stream_may_have_an_encoder(folder):
    other = {"preset": "preset", "learning_rate": 0.001}
    recipe = make_recipe(masked_encoder=other)
    model = build_model(recipe, prepare(recipe, folder))
    compile_model(model, recipe, steps=10)
    factors = model.optimizer.rate_factors
    assert set(factors.values()) == {0.1}
    for encoder in (model.encoder, model.masked_encoder):
        assert {v.path for v in encoder.encoder.trainable_variables} <= set(factors)
    token_ids = np.array([[5, 6, 7, 8]], "int32")
    before = np.array(model({"token_ids": token_ids})["marks"])
    for variable in model.masked_encoder.encoder.trainable_variables:
        variable.assign(variable + 0.5)
    assert np.abs(np.array(model({"token_ids": token_ids})["marks"]) - before).max() > 0


def test_encoders_of_different_pieces_are_refused(folder):
    garden = folder / "garden"
    garden.mkdir()
    (garden / "config.yaml").write_text(json.dumps(tiny_encoders.MODEL_GARDEN))
    pieces = [*tiny_encoders.PIECES[:-1], "##zz"]
    (garden / "vocab.txt").write_text("\n".join(pieces) + "\n")
    other = {
        "config": "garden/config.yaml",
        "vocabulary": "garden/vocab.txt",
        "learning_rate": 0.001,
    }
    pytest.importorskip("official")
    with pytest.raises(InputError, match="different vocabularies"):
        prepare(make_recipe(masked_encoder=other), folder)


@pytest.mark.parametrize(
    "change, part",
    [
        ({"model": {"embedding_dim": 4}}, "embedding_dim"),
        ({"model": {"encoder": "lstm"}}, "model.encoder"),
        ({"text": {"min_count": 2}}, "leave out `text`"),
        ({"training": {"weight_decay": 0.1}}, "training.weight_decay"),
        (
            {"masked_encoder": {"preset": "preset"}, "model": {"masked": False}},
            "masked stream",
        ),
        (
            {"masked_encoder": {"preset": "preset", "layer_decay": 0.5}},
            "the same `learning_rate`",
        ),
    ],
)
def test_settings_that_cannot_go_together_are_refused(change, part):
    with pytest.raises(ValidationError, match=part):
        make_recipe(**change)


def test_a_window_that_the_encoder_cannot_read_is_refused(folder):
    with pytest.raises(InputError, match="Set `window` to 38"):
        prepare(make_recipe(window=39), folder)


def test_heads_that_an_encoder_is_too_narrow_for_are_refused(folder):
    recipe = make_recipe()
    model = recipe.model.model_copy(update={"num_heads": 3})
    model.model_fields_set.discard("dim")
    with pytest.raises(InputError, match="16 wide, no multiple.*3"):
        prepare(recipe.model_copy(update={"model": model}), folder)
