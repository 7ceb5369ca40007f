"""HAN's switches; what it is made of has tests of its own."""

import keras
import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import assert_equal
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow

from keras_slu.models.han import HAN

X = {
    "token_ids": np.array(
        [[4, 8, 1, 5], [6, 3, 8, 0], [7, 0, 0, 0], [2, 2, 9, 4]], "int32"
    )
}
Y = {
    "intent": np.array([0, 1, 0, 1], "int32"),
    "slots": np.array(
        [[0, 1, 2, 0], [1, 0, 1, -1], [0, -1, -1, -1], [1, 1, 2, 2]], "int32"
    ),
}


def make(**kwargs):
    keras.utils.set_random_seed(3)
    settings = {"embedding_dim": 4, "dim": 8, **kwargs}
    return HAN(12, intents=["play", "stop"], tags=["O", "B-a", "I-a"], **settings)


@needs_tensorflow
@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"num_layers": 1, "alpha": 1.3, "merge": "sum"},
        {"attention": "first_order", "dim": 16, "self_attention": True},
        {"attention": "none", "fusion": "shallow", "trainable_embedding": False},
        {"order": "second", "label_attention": False},
        {"fusion": "shallow", "slot_head": "softmax", "label_smoothing": 0.1},
        {"interaction": False, "slot_loss_weight": 0.5, "max_tokens": 7},
        {"embedding_dropout": 0.4, "dropout": 0.3, "attention_dropout": 0.2},
    ],
    ids=str,
)
def test_every_switch_trains_a_step_and_is_in_the_config(switches):
    model = make(**switches)

    def loss():
        return model.compute_loss(X, Y, model(X, training=True))

    found = gradients(loss, model.trainable_weights)
    assert all(np.isfinite(gradient).all() for gradient in found)
    before = float(loss())
    model.optimizer.learning_rate.assign(1e-4)
    model.optimizer.apply_gradients(zip(found, model.trainable_weights, strict=True))
    if not any("dropout" in name for name in switches):
        assert float(loss()) < before

    again = HAN.from_config(model.get_config())
    assert again.get_config() == model.get_config()
    for name, value in switches.items():
        assert again.get_config()[name] == value
    again.set_weights(model.get_weights())
    assert_equal(arrays(again(X)), arrays(model(X)))


@pytest.mark.parametrize("label_attention", [True, False])
def test_label_attention_looks_at_the_weights_of_the_heads(label_attention):
    model = make(label_attention=label_attention)
    draw_weights(model)
    before = array(model(X)["slots"])
    model.intent_logits.kernel.assign(2 * array(model.intent_logits.kernel))
    # The intent head's weights reach the slots by no other way.
    moved = np.abs(array(model(X)["slots"]) - before).max()
    assert moved > 1e-2 if label_attention else moved == 0


def test_a_still_embedding_is_not_trained():
    table = make(trainable_embedding=False).encoder.embedding.embeddings
    assert not table.trainable
    assert make().encoder.embedding.embeddings.trainable


@pytest.mark.parametrize("rate", ["embedding_dropout", "dropout", "attention_dropout"])
def test_dropout_acts_in_training_only(rate):
    model = make(**{rate: 0.5})
    usual = arrays(model(X))
    assert_equal(arrays(model(X, training=False)), usual)
    assert np.abs(arrays(model(X, training=True))[1] - usual[1]).max() > 1e-3


def test_the_shared_checks(check_model):
    check_model(
        lambda: make(num_layers=1, alpha=1.3, merge="sum"),
        X,
        Y,
        loaded="""
assert type(model).__name__ == "HAN"
assert model.interaction.alpha == 1.3
""",
    )


def test_the_defaults_are_the_paper():
    model = HAN(12, intents=["play"], tags=["O"])
    assert model.encoder.embedding_dim == 300
    assert model.encoder.dim == 128
    assert model.interaction.num_layers == 2
    assert model.interaction.order == "infinite"
    assert model.crf is not None
    optimizer = model.optimizer
    assert type(optimizer).__name__ == "RectifiedAdam"
    assert float(array(optimizer.learning_rate)) == pytest.approx(1e-3)
