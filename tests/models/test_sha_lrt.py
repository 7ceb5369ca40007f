"""SHA-LRT: what the history does, and the state that carries it."""

import json
import os
import subprocess
import sys
from pathlib import Path

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
from models_data import TAGS
from models_data import X
from models_data import Y

from keras_slu.data.history import SENTENCE
from keras_slu.data.history import HeardTurn
from keras_slu.data.history import history_rows
from keras_slu.layers import sentence_embedder
from keras_slu.models.dialogue_state import HISTORY
from keras_slu.models.dialogue_state import advance
from keras_slu.models.dialogue_state import checked
from keras_slu.models.dialogue_state import empty_state
from keras_slu.models.sha_lrt import SHALRT

pytestmark = pytest.mark.slow  # minutes: `make test-slow`

ROOM = 9
HEARD = {
    "history_ids": [[-1, 3, 4, -1, 5], [-1, 3, 0, 0, 0], [0] * 5, [-1, 1, 1, 1, 0]],
    "history_results": [[0, 1, 2, 1, 0], [1, -1, 0, 0, 0], [0] * 5, [-1, 0, 1, 2, 0]],
    "history_turns": [[2, 2, 2, 1, 1], [1, 1, 0, 0, 0], [0] * 5, [3, 3, 3, 3, 0]],
}
HEARD = {name: np.array(rows, "int32") for name, rows in HEARD.items()}
FIRST = np.full((4, 1), -1, "int32")
TAUGHT = {**X, **HEARD, "prev_tags": np.concatenate([FIRST, Y["slots"][:, :-1]], 1)}


def make(random=False, **kwargs):
    keras.utils.set_random_seed(3)
    settings = {
        "embedding_dim": 4,
        "dim": 8,
        "num_layers": 2,
        "refine_after": [1],
        "num_heads": 2,
        "max_distance": 2,
        "dropout": 0.0,
        "max_turns": 2,
        "max_history": ROOM,
        **kwargs,
    }
    model = SHALRT(12, intents=["play", "stop"], tags=TAGS, **settings)
    if random:
        identity = model.calibration.get_weights()
        draw_weights(model)
        model.calibration.set_weights(identity)
    return model


def moved(model, **changes):
    """How far the outputs of each utterance move when its history changes."""
    before, after = model({**X, **HEARD}), model({**X, **HEARD, **changes})
    return np.abs(array(before["intent"]) - array(after["intent"])).max(axis=1)


def test_the_history_is_what_it_is_said_to_be():
    model = make(random=True)
    ids, results, turns = (HEARD[name] for name in HISTORY)
    mask = np.pad(X["token_ids"] != 0, [(0, 0), (1, 0)], constant_values=True)
    rows = np.pad(X["token_ids"], [(0, 0), (1, 0)], constant_values=-1)
    expected = model.salient_history(
        model.encoder(rows),
        model.encoder(ids),
        model.results(ids, results),
        turns,
        padding_mask=mask,
        history_mask=ids != 0,
    )
    found = model._embed({**X, **HEARD}, mask, False)
    np.testing.assert_allclose(array(found), array(expected), atol=1e-5)


def test_each_part_of_the_history_counts_and_padding_does_not():
    model = make(random=True)
    has_history = HEARD["history_ids"][:, 0] != 0
    for name, change in (
        ("history_ids", np.where(HEARD["history_ids"] == 3, 7, HEARD["history_ids"])),
        ("history_results", np.where(HEARD["history_ids"] == 3, 0, 1)),
        ("history_turns", np.where(HEARD["history_turns"] > 1, 1, 2)),
    ):
        found = moved(model, **{name: change.astype("int32")})
        assert found[0] > 1e-4, name
        assert found[2] == 0, name
    noise = np.where(HEARD["history_ids"] == 0, 1, HEARD["history_results"])
    assert (moved(model, history_results=noise) == 0).all()
    empty = {name: np.zeros_like(rows) for name, rows in HEARD.items()}
    assert ((moved(model, **empty) > 1e-4) == has_history).all()
    longer = {n: np.pad(rows, [(0, 0), (0, 3)]) for n, rows in HEARD.items()}
    assert (moved(model, **longer) < 1e-5).all()


def test_without_history_every_turn_is_the_first():
    model = make(random=True)
    empty = {name: np.zeros_like(rows) for name, rows in HEARD.items()}
    assert_close(arrays(model(X)), arrays(model({**X, **empty})), 1e-5)


@needs_tensorflow
@pytest.mark.parametrize(
    "switches",
    [
        {"parallel": True, "parallel_merge": "concat", "history_layers": 2},
        {"history_source": "utterances", "max_turns": None},
        {"history_source": "results", "generator": False},
        {"intent_head": "sigmoid", "history_merge": "norm", "refine_after": []},
    ],
    ids=str,
)
def test_every_switch_trains_a_step_and_is_in_the_config(switches):
    model = make(**switches)
    is_set = "intent_head" in switches
    labels = {**Y, "intent": np.eye(2)[Y["intent"]]} if is_set else Y

    def loss():
        return model.compute_loss(TAUGHT, labels, model(TAUGHT, training=True))

    found = gradients(loss, model.trainable_weights)
    assert all(np.isfinite(gradient).all() for gradient in found)
    before = float(loss())
    model.optimizer.learning_rate.assign(1e-4)
    model.optimizer.apply_gradients(zip(found, model.trainable_weights, strict=True))
    assert float(loss()) < before

    again = SHALRT.from_config(model.get_config())
    assert again.get_config() == model.get_config()
    for name, value in switches.items():
        assert again.get_config()[name] == value
    again.set_weights(model.get_weights())
    assert_equal(arrays(again({**X, **HEARD})), arrays(model({**X, **HEARD})))


def test_the_shared_checks(check_model):
    check_model(
        make, TAUGHT, Y, "assert model.max_history == 9 and model.salient_history"
    )


def drawn_dialogue(random, turns):
    """Turns of 1 to 12 words, some longer than all of the history."""
    return [
        HeardTurn(
            random.integers(1, 12, length),
            int(random.integers(-1, 2)),
            random.integers(-1, 3, length),
        )
        for length in random.integers(1, 13, turns)
    ]


def padded(turns):
    """A turn of each dialogue of a batch, as the arguments of `advance`."""
    time = max(len(turn.ids) for turn in turns)
    ids = np.zeros((len(turns), time), "int32")
    tags = np.full((len(turns), time), -1, "int32")
    for row, turn in enumerate(turns):
        ids[row, : len(turn.ids)] = turn.ids
        tags[row, : len(turn.ids)] = turn.tags
    return ids, np.array([turn.intent for turn in turns], "int32"), tags


def test_a_carried_state_is_the_history_built_anew():
    assert SENTENCE == sentence_embedder.SENTENCE
    random = np.random.default_rng(7)
    dialogues = [drawn_dialogue(random, 12) for _ in range(16)]
    history = {name: empty_state(16, ROOM)[name] for name in HISTORY}
    were_full = 0
    for now in range(12):
        for row, dialogue in enumerate(dialogues):
            rows = history_rows(dialogue[:now], ROOM)
            were_full += rows.shape[1] == ROOM
            rows = np.pad(rows, [(0, 0), (0, ROOM - rows.shape[1])])
            found = np.stack([array(history[name][row]) for name in HISTORY])
            np.testing.assert_array_equal(found, rows)
        history = advance(history, *padded([turns[now] for turns in dialogues]))
    assert were_full > 10


def test_whole_turns_leave_from_the_front():
    turns = [HeardTurn([5, 6], 0, [0, 0]), HeardTurn([7], 1, [1])]
    kept = history_rows([*turns, HeardTurn([8, 9, 2, 3], 0, [0] * 4)], ROOM)
    assert kept[0].tolist() == [-1, 7, -1, 8, 9, 2, 3]
    assert kept[2].tolist() == [2, 2, 1, 1, 1, 1, 1]
    alone = history_rows([*turns, HeardTurn(range(1, 21), 0, [1] * 20)], ROOM)
    assert alone[0].tolist() == [-1, *range(1, 9)]


def test_a_foreign_or_damaged_state_fails_its_own_row_only():
    own = np.array([5, 6], "int32")
    state = empty_state(4, ROOM)
    for name in HISTORY:
        state[name][:, :4] = HEARD[name][0][:4]
    state["fingerprint"][:] = [[5, 6], [5, 7], [0, 0], [5, 6]]
    state["history_ids"][3, :3] = [-9, 99, 0]
    history, is_ok = checked(state, own, vocabulary_size=12)
    assert array(is_ok).tolist() == [True, False, False, True]
    kept = {name: array(rows) for name, rows in history.items()}
    for name in HISTORY:
        np.testing.assert_array_equal(kept[name][0], state[name][0])
        assert (kept[name][1:3] == 0).all()
    assert kept["history_ids"][3].tolist() == [-1, 11, *[0] * 7]
    new = checked(empty_state(1, ROOM), own, vocabulary_size=12)
    assert array(new[1]).all()


def test_two_replicas_give_the_weights_of_one():
    child = subprocess.run(
        [sys.executable, Path(__file__).with_name("two_replicas_of_sha_lrt.py")],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    difference, moved = json.loads(child.stdout.splitlines()[-1])
    assert difference < 1e-5
    assert moved > 1e-2
