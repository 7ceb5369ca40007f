"""JointBERT: its wiring on any encoder of pieces, with and without LRM and SLG."""

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
from keras import ops
from models_data import TAGS
from models_data import Y
from piece_inputs import TAUGHT
from piece_inputs import PiecesBefore
from piece_inputs import X
from piece_inputs import expected_rows
from piece_inputs import padded

from keras_slu.layers.softmax import softmax
from keras_slu.models.joint_bert import JointBERT

WORDS = X["word_starts"] >= 0
ROWS = np.pad(WORDS, [(0, 0), (1, 0)], constant_values=True)
REFINED = {"num_layers": 2, "refine_after": (1, 0), "generator": True}


def make(random=False, slot_head="softmax", **kwargs):
    keras.utils.set_random_seed(3)
    settings = {"dropout": 0.0, "num_heads": 2, "max_distance": 2, **kwargs}
    model = JointBERT(
        PiecesBefore(), ["play", "stop"], TAGS, slot_head=slot_head, **settings
    )
    if random:
        identity = model.calibration.get_weights()
        draw_weights(model)
        model.calibration.set_weights(identity)
    return model


@pytest.fixture(scope="module")
def drawn():
    model = make(random=True, **REFINED)
    return model, model.get_weights()


@pytest.fixture
def refined(drawn):
    """A model with LRM and SLG, whose weights a test may change."""
    model, weights = drawn
    model.set_weights(weights)
    return model


def test_the_encoders_features_reach_the_heads():
    model = make(random=True)
    rows = expected_rows(model)
    intent = array(model.intent_logits(rows[:, 0]))
    slots = array(model.slot_logits(rows[:, 1:]))
    found = model(X)
    assert_close([array(found["intent"])], [intent], 1e-5)
    assert_close([array(found["slots"])[WORDS]], [slots[WORDS]], 1e-5)


def test_refinement_comes_above_the_encoder_with_the_models_own_heads(refined):
    words, text = refined.encoder(**X, return_text=True)
    hidden = ops.concatenate([text[:, None], words], axis=1)

    def heads(hidden):
        return refined.intent_logits(hidden[:, 0]), refined.slot_logits(hidden[:, 1:])

    for layer in (1, 2):
        intent, slots = map(softmax, heads(hidden))
        hidden = refined.refine(hidden, intent, slots, padding_mask=ROWS)
        hidden = refined.transformer(hidden, ROWS, first=layer, last=layer)
    found = refined(X)
    expected = arrays(heads(hidden))
    assert_close([array(found["intent"]), array(found["slots"])], expected, 1e-4)


def test_the_generator_is_there_in_training_only():
    model, without = make(random=True, generator=True), make()
    assert model(TAUGHT, training=True)["generated"].shape == (4, 4, 3)
    for training, inputs in ((False, TAUGHT), (None, TAUGHT), (True, X)):
        assert sorted(model(inputs, training=training)) == ["intent", "slots"]
    assert model.is_taught and not without.is_taught
    generator = {id(weight) for weight in model.generator.weights}
    without.set_weights([array(w) for w in model.weights if id(w) not in generator])
    assert_equal(arrays(without(X)), arrays(model(X)))


def test_refinement_does_not_reach_the_generator(refined):
    before = refined(TAUGHT, training=True)
    for weight in refined.refine.weights:
        weight.assign(3.0 * array(weight) + 1.0)
    after = refined(TAUGHT, training=True)
    assert_equal([array(after["generated"])], [array(before["generated"])])
    assert np.abs(array(after["slots"]) - array(before["slots"])).max() > 1e-2


@needs_tensorflow
def test_gradients_reach_all_weights(refined):
    def loss():
        return refined.compute_loss(TAUGHT, Y, refined(TAUGHT, training=True))

    weights = [*refined.trainable_weights, refined.refine.salience]
    *found, of_salience = gradients(loss, weights)
    assert all(np.isfinite(gradient).all() for gradient in found)
    assert np.abs(of_salience).max() > 0.0


def test_more_padding_changes_nothing(refined):
    short, long = refined(X), refined(padded())
    assert_close([array(long["intent"])], [array(short["intent"])], 1e-4)
    found = array(long["slots"])[:, :4][WORDS]
    np.testing.assert_allclose(found, array(short["slots"])[WORDS], atol=1e-4)


def test_a_saved_model_answers_alike(refined, tmp_path):
    refined.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    for name, value in refined.get_config().items():
        # The encoder's says by now what it was built on.
        assert name == "encoder" or again.get_config()[name] == value
    assert_equal(arrays(again(X)), arrays(refined(X)))


@pytest.mark.parametrize(
    ("switches", "told"),
    [
        ({"slot_head": "crf", "generator": True}, "softmax"),
        ({"slot_head": "crf", "num_layers": 1, "refine_after": (0,)}, "softmax"),
        ({"refine_after": (0,)}, "from 0 to `num_layers` - 1"),
        ({"num_layers": 2, "refine_after": (0, 2)}, "from 0 to `num_layers` - 1"),
    ],
)
def test_what_does_not_go_together_is_refused(switches, told):
    with pytest.raises(ValueError, match=told):
        make(**switches)
