"""The recurrent baselines: what of the history they use, and the shared checks."""

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

from keras_slu.models.dialogue_baselines import MemoryEncoder
from keras_slu.models.dialogue_baselines import TwoRoundBiLSTM

pytestmark = pytest.mark.slow  # minutes: `make test-slow`

HEARD = {
    "history_ids": [[-1, 3, 4, -1, 5], [-1, 3, 0, 0, 0], [0] * 5, [-1, 1, 1, 1, 0]],
    "history_results": [[0, 1, 2, 1, 0], [1, -1, 0, 0, 0], [0] * 5, [-1, 0, 1, 2, 0]],
    "history_turns": [[2, 2, 2, 1, 1], [1, 1, 0, 0, 0], [0] * 5, [3, 3, 3, 3, 0]],
}
HEARD = {name: np.array(rows, "int32") for name, rows in HEARD.items()}
INPUTS = {**X, **HEARD}
models = pytest.mark.parametrize("model", [MemoryEncoder, TwoRoundBiLSTM])


def make(model, random=False, **kwargs):
    keras.utils.set_random_seed(3)
    settings = {"embedding_dim": 4, "dim": 16, "max_history": 9, **kwargs}
    made = model(12, intents=["play", "stop"], tags=TAGS, **settings)
    if random:
        identity = made.calibration.get_weights()
        draw_weights(made)
        made.calibration.set_weights(identity)
    return made


def moved(model, **changes):
    before, after = model(INPUTS), model({**INPUTS, **changes})
    return np.abs(array(before["intent"]) - array(after["intent"])).max(axis=1)


@models
def test_the_history_counts_as_far_as_it_is_there(model):
    made = make(model, random=True)
    ids, results, turns = (HEARD[name] for name in HEARD)
    of_words = moved(made, history_ids=np.where(ids == 3, 7, ids))
    assert (of_words[:2] > 1e-5).all()
    assert of_words[2] == 0
    of_results = moved(made, history_results=np.where(ids == 3, 0, results))
    of_order = moved(made, history_turns=np.where(turns > 0, 4 - turns, 0))
    is_memory = model is MemoryEncoder
    assert (of_results[0] > 1e-5) != is_memory
    assert (of_order[0] > 1e-5) == is_memory
    empty = {name: np.zeros_like(rows) for name, rows in HEARD.items()}
    assert_close(arrays(made(X)), arrays(made({**X, **empty})), 1e-5)
    longer = {n: np.pad(rows, [(0, 0), (0, 3)]) for n, rows in HEARD.items()}
    assert (moved(made, **longer) < 1e-5).all()


@models
def test_more_padding_changes_nothing(model):
    made = make(model, random=True)
    real = X["token_ids"] != 0
    short, long = made(INPUTS), made({**INPUTS, "token_ids": pad(X["token_ids"])})
    assert_close([array(long["intent"])], [array(short["intent"])], 1e-5)
    found = array(long["slots"])[:, :4][real]
    np.testing.assert_allclose(found, array(short["slots"])[real], atol=1e-5)


@needs_tensorflow
@models
@pytest.mark.parametrize("intent_head", ["softmax", "sigmoid"])
def test_gradients_reach_all_weights(model, intent_head):
    made = make(model, intent_head=intent_head)
    is_set = intent_head == "sigmoid"
    labels = {**Y, "intent": np.eye(2)[Y["intent"]]} if is_set else Y

    def loss():
        return made.compute_loss(INPUTS, labels, made(INPUTS, training=True))

    found = gradients(loss, made.trainable_weights)
    assert all(np.isfinite(gradient).all() for gradient in found)


@models
def test_the_shared_checks(check_model, model):
    loaded = "assert model.max_history == 9"
    check_model(lambda: make(model), INPUTS, Y, loaded)
