"""LRT: its wiring, its switches, and what is there in training only."""

import keras
import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import assert_close
from checks import assert_equal
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from checks import pad
from models_data import TAGS
from models_data import X
from models_data import Y

from keras_slu.layers.layer_refine import with_sentence
from keras_slu.layers.softmax import softmax
from keras_slu.models.lrt import LRT

FIRST = np.full((4, 1), -1, "int32")
TAUGHT = {**X, "prev_tags": np.concatenate([FIRST, Y["slots"][:, :-1]], axis=1)}


def make(random=False, **kwargs):
    keras.utils.set_random_seed(3)
    settings = {
        "embedding_dim": 4,
        "dim": 8,
        "num_layers": 3,
        "num_heads": 2,
        "max_distance": 2,
        "dropout": 0.0,
        **kwargs,
    }
    model = LRT(12, intents=["play", "stop"], tags=TAGS, **settings)
    if random:
        identity = model.calibration.get_weights()
        draw_weights(model)
        model.calibration.set_weights(identity)
    return model


def test_the_middle_is_refined_with_the_models_own_heads():
    model = make(random=True)
    mask = np.pad(X["token_ids"] != 0, [(0, 0), (1, 0)], constant_values=True)
    rows = np.pad(X["token_ids"], [(0, 0), (1, 0)], constant_values=-1)

    def heads(hidden):
        return (
            model.intent_logits(hidden[:, 0]),
            model.slot_logits(with_sentence(hidden)),
        )

    hidden = model.transformer(model.encoder(rows), padding_mask=mask, last=2)
    intent, slots = map(softmax, heads(hidden))
    hidden = model.refine(hidden, intent, slots, padding_mask=mask)
    hidden = model.transformer(hidden, padding_mask=mask, first=3)
    outputs = model(X)
    expected = arrays(heads(hidden))
    assert_close([array(outputs["intent"]), array(outputs["slots"])], expected, 1e-5)


def test_the_generator_is_there_in_training_only():
    model, without = make(random=True), make(generator=False)
    assert "generated" in model(TAUGHT, training=True)
    for training, inputs in ((False, TAUGHT), (None, TAUGHT), (True, X)):
        assert sorted(model(inputs, training=training)) == ["intent", "slots"]
    assert model.is_taught and not without.is_taught
    generator = {id(weight) for weight in model.generator.weights}
    rest = [array(w) for w in model.weights if id(w) not in generator]
    without.set_weights(rest)
    assert_equal(arrays(without(X)), arrays(model(X)))


def test_refinement_does_not_reach_the_generator():
    model = make(random=True)
    before = model(TAUGHT, training=True)
    for weight in model.refine.weights:
        weight.assign(3.0 * array(weight) + 1.0)
    after = model(TAUGHT, training=True)
    assert_equal([array(after["generated"])], [array(before["generated"])])
    assert np.abs(array(after["slots"]) - array(before["slots"])).max() > 1e-2


def test_the_generators_loss_is_added_with_its_weights():
    model = make(random=True, consistency_weight=0.3, generator_weight=0.7)
    outputs = model(TAUGHT, training=True)
    generated, slots = (array(outputs[name]) for name in ("generated", "slots"))
    logs = [np.log(array(softmax(logits))) for logits in (generated, slots)]
    expected = []
    for row, ids in enumerate(X["token_ids"]):
        real = np.flatnonzero(ids)
        own = -sum(logs[0][row, t, Y["slots"][row, t]] for t in real)
        gap = -sum(np.exp(logs[0][row, t]) @ logs[1][row, t] for t in real)
        expected.append(0.7 * (own + 0.3 * gap))
    found = array(model.own_losses(TAUGHT, Y, outputs))
    np.testing.assert_allclose(found, expected, rtol=1e-4)
    assert model.own_losses(X, Y, model(X)) is None


@needs_tensorflow
@pytest.mark.parametrize(
    "switches",
    [
        {"merge": "norm", "consistency_weight": 0.3, "generator_weight": 1.0},
        {"refine_after": [], "generator_layers": 2, "inner_dim": 5},
        {"refine_after": [1, 2], "generator": False, "trainable_embedding": False},
        {"embedding_dropout": 0.3, "dropout": 0.2, "attention_dropout": 0.2},
    ],
    ids=str,
)
def test_every_switch_trains_a_step_and_is_in_the_config(switches):
    model = make(**switches)

    def loss():
        return model.compute_loss(TAUGHT, Y, model(TAUGHT, training=True))

    found = gradients(loss, model.trainable_weights)
    assert all(np.isfinite(gradient).all() for gradient in found)
    before = float(loss())
    model.optimizer.learning_rate.assign(1e-4)
    model.optimizer.apply_gradients(zip(found, model.trainable_weights, strict=True))
    if "dropout" not in switches:
        assert float(loss()) < before

    again = LRT.from_config(model.get_config())
    assert again.get_config() == model.get_config()
    for name, value in switches.items():
        assert again.get_config()[name] == value
    again.set_weights(model.get_weights())
    assert_equal(arrays(again(X)), arrays(model(X)))


def test_more_padding_changes_nothing():
    model = make(random=True)
    longer = {"token_ids": pad(X["token_ids"])}
    real = X["token_ids"] != 0
    short, long = model(X), model(longer)
    assert_close([array(long["intent"])], [array(short["intent"])], 1e-5)
    found = array(long["slots"])[:, :4][real]
    np.testing.assert_allclose(found, array(short["slots"])[real], atol=1e-5)


@pytest.mark.parametrize("layers", [[0], [3], [1, 5]])
def test_layers_that_are_not_between_two_are_refused(layers):
    with pytest.raises(ValueError, match="refine_after"):
        make(refine_after=layers)


def test_the_shared_checks(check_model):
    loaded = "assert model.generator is not None and model.transformer.num_layers == 3"
    check_model(make, TAUGHT, Y, loaded)


def test_the_defaults_are_the_papers_where_it_has_them():
    model = LRT(12, intents=["play"], tags=["O"])
    settings = model.get_config()
    assert (settings["dim"], settings["num_layers"]) == (128, 4)
    assert settings["refine_after"] == [2]
    assert (settings["consistency_weight"], settings["generator_weight"]) == (0.1, 0.5)
