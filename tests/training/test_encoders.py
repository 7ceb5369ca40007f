"""Recipes with a pretrained encoder: every model trains, is saved and parses."""

import keras
import numpy as np
import pytest

pytest.importorskip("keras_hub")
import tiny  # noqa: E402
import tiny_encoders  # noqa: E402
from pydantic import ValidationError  # noqa: E402

import keras_slu  # noqa: E402
from keras_slu.errors import InputError  # noqa: E402
from keras_slu.optimizers import RectifiedAdam  # noqa: E402
from keras_slu.training.fit import train  # noqa: E402
from keras_slu.training.prepare import build_model  # noqa: E402
from keras_slu.training.prepare import prepare  # noqa: E402
from keras_slu.training.recipe import Recipe  # noqa: E402

pytestmark = pytest.mark.slow  # minutes: `make test-slow`

MODELS = [
    {"type": "joint_bert", "slot_head": "softmax"},
    {"type": "han", "dim": 16, "slot_head": "crf"},
    {"type": "co_interactive", "dim": 16, "num_blocks": 1},
    {"type": "stack_propagation", "dim": 16},
    {
        "type": "joint_bert",
        "slot_head": "softmax",
        "num_layers": 1,
        "refine_after": [0],
        "generator": True,
    },
    {"type": "slot_refine", "dim": 16, "num_heads": 2},
    {"type": "lrt", "dim": 16, "num_heads": 2},
]
TEXTS = ["play the red lamp3 of aunt mary", "", "🎵 dim\u0301", "play " * 60]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("data")
    tiny.write_tokenised(made)
    tiny_encoders.write_hub_preset(made / "preset")
    return made


def recipe(model, encoder=None, **training):
    return Recipe.model_validate(
        {
            "name": "tiny",
            "data": {split: f"{split}.jsonl" for split in tiny.SPLITS},
            "encoder": {"preset": "preset", "learning_rate": 0.001, **(encoder or {})},
            "model": model,
            "training": {"epochs": 1, "learning_rate": 0.01, **training},
        }
    )


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model["type"])
def test_a_model_trains_on_an_encoder_and_parses(folder, tmp_path, model):
    figures = train(recipe(model, slot_exchange=0.3), folder, tmp_path / "run")
    assert np.isfinite(figures["history"][0]["loss"])
    assert figures["test_uncoordinated_tags"] >= 0  # told of one turn too
    parser = keras_slu.load(tmp_path / "run")
    frames = parser.parse(TEXTS)
    assert [frame.truncated for frame in frames] == [False, False, False, True]
    assert len(frames[2].intents) == len(frames[0].intents) > 0
    # One at a time: no row, and no padding, changes another.
    for text, together in zip(TEXTS, frames, strict=True):
        alone = parser.parse(text)
        places = [(slot.name, slot.start, slot.end) for slot in together.slots]
        assert [(slot.name, slot.start, slot.end) for slot in alone.slots] == places
        assert alone.intents[0].probability == pytest.approx(
            together.intents[0].probability, abs=1e-5
        )


def test_the_bilstm_can_stay(folder):
    model = build_model(
        recipe({"type": "han", "dim": 16}), prepare(recipe(MODELS[1]), folder)
    )
    assert not [v for v in model.variables if "lstm" in v.path]
    kept = recipe({"type": "han", "dim": 16, "keep_bilstm": True})
    model = build_model(kept, prepare(kept, folder))
    assert [v for v in model.variables if "lstm" in v.path]


def test_layers_move_by_rates_of_their_own(folder):
    decayed = recipe(MODELS[0], {"learning_rate": 0.001, "layer_decay": 0.5})
    model = build_model(decayed, prepare(decayed, folder))
    factors = model.optimizer.rate_factors
    assert factors["transformer_layer_1/feedforward_output_dense/kernel"] == 0.1
    assert factors["transformer_layer_0/feedforward_output_dense/kernel"] == 0.05
    assert factors["token_embedding/embeddings"] == 0.025
    assert "intent/kernel" not in factors


def test_a_frozen_encoder_stays_as_it_is(folder, tmp_path):
    frozen = recipe(MODELS[0], {"trainable": False})
    before = prepare(frozen, folder).encoder.get_weights()
    train(frozen, folder, tmp_path / "run")
    after = keras_slu.load(tmp_path / "run").model.encoder.encoder.get_weights()
    for a, b in zip(before, after, strict=True):
        np.testing.assert_array_equal(a, b)


def test_rate_factors_scale_the_moves():
    moves = []
    for factors in ({}, {"first": 0.25}):
        variables = [
            keras.Variable(np.ones(3, "float32"), name=name)
            for name in ("first", "second")
        ]
        optimizer = RectifiedAdam(0.1, rate_factors=factors)
        optimizer.build(variables)
        for _ in range(8):  # unrectified steps, and rectified ones
            optimizer.apply([np.ones(3, "float32")] * 2)
        moves.append([1.0 - np.array(v)[0] for v in variables])
        again = RectifiedAdam.from_config(optimizer.get_config())
        assert again.rate_factors == factors
    assert moves[1][0] == pytest.approx(0.25 * moves[0][0], rel=1e-5)
    assert moves[1][1] == pytest.approx(moves[0][1], rel=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"encoder": {}}, "Name a `preset`"),
        ({"encoder": {"preset": "a", "config": "b"}}, "Name a `preset`"),
        ({"encoder": {"config": "b"}}, "Name a `preset`"),
        ({"model": {"type": "sha_lrt"}}, "`encoder` is for the models han"),
        ({"encoder": None, "model": {"type": "joint_bert"}}, "needs an `encoder`"),
        ({"training": {"weight_decay": 0.1}}, "training.weight_decay"),
        ({"text": {"word_vectors": {"path": "v"}}}, "takes the place"),
        ({"text": {"longest_ending": 3}}, "takes the place"),
        ({"start": "run"}, "cannot `start`"),
    ],
)
def test_what_does_not_go_together_is_refused(change, message):
    content = {**recipe(MODELS[0]).model_dump(mode="json"), **change}
    with pytest.raises(ValidationError, match=message):
        Recipe.model_validate(content)


def test_heads_that_the_encoders_width_does_not_fit_are_told(folder):
    with pytest.raises(InputError, match="num_heads"):
        prepare(recipe({**MODELS[4], "num_heads": 3}), folder)
    prepare(recipe({"type": "joint_bert", "num_heads": 3}), folder)  # has no layers


def test_a_missing_package_and_a_missing_folder_are_told(folder):
    for preset in ("package:no_such_package/model", "nowhere/preset"):
        with pytest.raises(InputError) as error:
            prepare(recipe(MODELS[0], {"preset": preset}), folder)
        assert "no_such_package" in str(error.value) or "nowhere" in str(error.value)
