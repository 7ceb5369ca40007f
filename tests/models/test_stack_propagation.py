"""Stack-Propagation: what is fed to what, its vote and its losses."""

import keras
import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import assert_close
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from checks import pad
from models_data import TAGS
from models_data import X
from models_data import Y

from keras_slu.models.stack_propagation import StackPropagation

TAUGHT = {
    **X,
    "prev_tags": np.concatenate([np.full((4, 1), -1), Y["slots"][:, :-1]], 1).astype(
        "int32"
    ),
    "gold_intent": Y["intent"],
}


def make(random=False, **kwargs):
    keras.utils.set_random_seed(3)
    settings = {"embedding_dim": 4, "dim": 16, "decoder_dim": 6, **kwargs}
    model = StackPropagation(12, intents=["play", "stop"], tags=TAGS, **settings)
    if random:
        identity = model.calibration.get_weights()
        draw_weights(model)
        model.calibration.set_weights(identity)
    return model


def softmax(x):
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def test_the_intent_is_the_mean_of_the_real_tokens_distributions():
    outputs = make(random=True)(X)
    votes = softmax(array(outputs["token_intents"]))
    for row, ids in enumerate(X["token_ids"]):
        expected = votes[row][ids != 0].mean(axis=0)
        found = np.exp(array(outputs["intent"])[row])
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_slots_see_the_intent_of_their_token():
    model = make(random=True)
    hidden = model.encoder(X["token_ids"], padding_mask=X["token_ids"] != 0)
    intents = array(model.intent_decoder(hidden))
    chosen = np.eye(2, dtype="float32")[intents.argmax(axis=-1)]
    slots = model.slot_decoder(np.concatenate([array(hidden), chosen], -1))
    outputs = model(X)
    np.testing.assert_allclose(array(outputs["token_intents"]), intents, atol=1e-5)
    np.testing.assert_allclose(array(outputs["slots"]), array(slots), atol=1e-5)


def test_gold_labels_are_seen_in_training_only_and_at_the_rate():
    taught, untaught = make(teacher_forcing=1.0), make(teacher_forcing=0.0)
    for model in (taught, untaught):
        draw_weights(model)
    free = array(taught(X)["slots"])
    np.testing.assert_allclose(array(taught(TAUGHT)["slots"]), free, atol=1e-6)
    unseen = array(untaught(TAUGHT, training=True)["slots"])
    np.testing.assert_allclose(unseen, free, atol=1e-5)

    hidden = array(taught.encoder(X["token_ids"], padding_mask=X["token_ids"] != 0))
    before = np.repeat(Y["intent"][:, None], 4, axis=1)
    before[:, 0] = -1
    intents = taught.intent_decoder(hidden, previous=before)
    chosen = np.eye(2, dtype="float32")[array(intents).argmax(axis=-1)]
    expected = taught.slot_decoder(
        np.concatenate([hidden, chosen], -1), previous=TAUGHT["prev_tags"]
    )
    seen = array(taught(TAUGHT, training=True)["slots"])
    np.testing.assert_allclose(seen, array(expected), atol=1e-5)
    assert not np.allclose(seen, free, atol=1e-3)


def test_the_losses_are_summed_over_the_tokens():
    model = make(random=True, slot_loss_weight=0.5)
    outputs = model(X)
    log_intents = np.log(softmax(array(outputs["token_intents"])))
    log_slots = np.log(softmax(array(outputs["slots"])))
    expected = []
    for row, ids in enumerate(X["token_ids"]):
        real = range(int((ids != 0).sum()))
        intent = sum(-log_intents[row, t, Y["intent"][row]] for t in real)
        slots = sum(-log_slots[row, t, Y["slots"][row, t]] for t in real)
        expected.append(intent + 0.5 * slots)
    found = array(model.utterance_losses(X, Y, outputs))
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    loss = float(model.compute_loss(X, Y, outputs))
    assert loss == pytest.approx(np.mean(expected), rel=1e-5)


@needs_tensorflow
@pytest.mark.parametrize("attention", ["none", "first_order", "bilinear"])
def test_gradients_reach_all_weights(attention):
    model = make(attention=attention, teacher_forcing=1.0)

    def loss():
        return model.compute_loss(TAUGHT, Y, model(TAUGHT, training=True))

    found = gradients(loss, model.trainable_weights)
    assert all(np.isfinite(gradient).all() for gradient in found)
    assert len(model.attention_scores(X)) == (attention != "none")


def test_more_padding_changes_nothing():
    model = make(random=True, attention="bilinear")
    longer = {"token_ids": pad(X["token_ids"])}
    real = X["token_ids"] != 0
    short, long = model(X), model(longer)
    assert_close([array(long["intent"])], [array(short["intent"])], 1e-5)
    found = array(long["slots"])[:, :4][real]
    np.testing.assert_allclose(found, array(short["slots"])[real], atol=1e-5)
    answers = model.decode(long, longer["token_ids"] != 0)
    assert (array(answers["tags"])[:, 4:] == -1).all()
    assert all(np.isfinite(values).all() for values in arrays(answers))


def test_the_shared_checks(check_model):
    loaded = "assert model.attention.attention == 'first_order'"
    check_model(
        lambda: make(attention="first_order", teacher_forcing=1.0), TAUGHT, Y, loaded
    )


SETS = {**Y, "intent": np.array([[1, 1], [0, 1], [0, 0], [1, 0]], "int32")}


def test_sets_of_intents_of_tokens():
    model = make(random=True, intent_head="sigmoid", slot_loss_weight=0.5)
    hidden = model.encoder(X["token_ids"], padding_mask=X["token_ids"] != 0)
    head = model.intent_decoder.logits
    level = array(model.intent_decoder(hidden)).mean(axis=(0, 1))
    head.bias.assign(array(head.bias) - level)  # now some are likely, some not
    intents = array(model.intent_decoder(hidden))
    chosen = (intents > 0).astype("float32")
    assert {0, 1, 2} == set(chosen.sum(axis=-1).ravel())
    slots = model.slot_decoder(np.concatenate([array(hidden), chosen], -1))
    outputs = model(X)
    np.testing.assert_allclose(array(outputs["slots"]), array(slots), atol=1e-5)

    yes = 1 / (1 + np.exp(-np.float64(intents)))
    log_slots = np.log(softmax(array(slots)))
    losses = []
    for row, ids in enumerate(X["token_ids"]):
        votes = yes[row][ids != 0]
        found = 1 / (1 + np.exp(-array(outputs["intent"])[row]))
        np.testing.assert_allclose(found, votes.mean(axis=0), atol=1e-5)
        gold = SETS["intent"][row]
        loss = -np.log(np.where(gold, votes, 1 - votes)).sum()
        tags = SETS["slots"][row, : len(votes)]
        loss -= 0.5 * log_slots[row, range(len(votes)), tags].sum()
        losses.append(loss)
    found = array(model.utterance_losses(X, SETS, outputs))
    np.testing.assert_allclose(found, losses, rtol=1e-4)


def test_sets_of_intents_are_not_fed():
    model = make(random=True, intent_head="sigmoid", teacher_forcing=1.0)
    taught = model({**TAUGHT, "gold_intent": SETS["intent"]}, training=True)
    free = model(X)
    np.testing.assert_allclose(
        array(taught["token_intents"]), array(free["token_intents"]), atol=1e-5
    )
    assert not np.allclose(array(taught["slots"]), array(free["slots"]), atol=1e-3)
