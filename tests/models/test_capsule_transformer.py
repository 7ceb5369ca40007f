"""The translator: what it sees, its search, and its saving."""

import json
import os
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from checks import array
from checks import draw_weights
from checks import needs_tensorflow
from checks import pad

from keras_slu.models.capsule_transformer import CapsuleTransformer
from keras_slu.text.sentence_pieces import END
from keras_slu.text.sentence_pieces import START

pytestmark = pytest.mark.slow  # minutes: `make test-slow`

X = {
    "token_ids": np.array(
        [[5, 8, 9, END], [6, 7, END, 0], [9, END, 0, 0], [4, 4, 8, END]], "int32"
    ),
    "target_ids": np.array(
        [[START, 7, 6], [START, 5, 0], [START, 8, 4], [START, 0, 0]], "int32"
    ),
}
Y = {"target": np.array([[7, 6, END], [5, END, -1], [8, 4, END], [END, -1, -1]])}
EVERYWHERE = {
    "encoder_capsules": [1, 2],
    "decoder_capsules": [2],
    "cross_capsules": [1],
}
PLACES = pytest.mark.parametrize(
    "switches",
    [{}, {"routing": "dynamic", **EVERYWHERE}, {"routing": "em", **EVERYWHERE}],
    ids=["plain", "dynamic", "em"],
)


def make(**kwargs):
    keras.utils.set_random_seed(3)
    settings = {"dim": 16, "num_heads": 4, "inner_dim": 24, "num_layers": 2}
    settings |= {"dropout": 0.0, "max_tokens": 12, **kwargs}
    return CapsuleTransformer(11, **settings)


def bold(**switches):
    model = make(**switches)
    draw_weights(model)
    return model


def logits(model, **inputs):
    return array(model({**X, **inputs})["target"])


@PLACES
def test_a_token_sees_none_that_come_after_it(switches):
    model = bold(**switches)
    changed = X["target_ids"].copy()
    changed[:, 2] = 9
    before, after = logits(model), logits(model, target_ids=changed)
    np.testing.assert_allclose(after[:, :2], before[:, :2], atol=1e-5)
    assert np.abs(after[:, 2] - before[:, 2]).max(axis=-1).min() > 5e-5


@PLACES
def test_padding_changes_nothing(switches):
    model = bold(**switches)
    longer = {name: pad(value) for name, value in X.items()}
    np.testing.assert_allclose(logits(model, **longer)[:, :3], logits(model), atol=1e-5)
    for row, length in enumerate((4, 3, 2, 4)):
        alone = {"token_ids": X["token_ids"][row : row + 1, :length]}
        alone["target_ids"] = X["target_ids"][row : row + 1]
        np.testing.assert_allclose(
            logits(model, **alone)[0], logits(model)[row], atol=1e-5
        )


@PLACES
def test_greedy_search_writes_the_arg_max_of_what_it_has_written(switches):
    """So the cache holds what a whole pass makes."""
    model = bold(**switches)
    tokens, scores = map(array, model.translate(X["token_ids"]))
    assert tokens.shape == (4, 12)
    started = np.concatenate([np.full((4, 1), START), tokens[:, :-1]], axis=1)
    outputs = logits(model, target_ids=started)
    outputs[..., [0, START]] = -np.inf
    log_p = outputs - np.log(np.exp(outputs).sum(axis=-1, keepdims=True))
    for row in range(4):
        count = int((tokens[row] > 0).sum())
        assert count == 12 or tokens[row, count - 1] == END
        np.testing.assert_array_equal(
            outputs[row, :count].argmax(axis=-1), tokens[row, :count]
        )
        total = log_p[row, np.arange(count), tokens[row, :count]].sum()
        assert scores[row] == pytest.approx(total / ((5 + count) / 6) ** 0.6, rel=1e-4)


def test_a_beam_finds_nothing_worse_than_greedy_search_here():
    model = bold(routing="em", **EVERYWHERE)
    _, greedy = model.translate(X["token_ids"])
    _, found = model.translate(X["token_ids"], beam_size=4)
    assert (array(found) >= array(greedy) - 1e-5).all()


@pytest.mark.parametrize(
    "place, layer, attention",
    [
        ("encoder_capsules", "encoder", "attention"),
        ("decoder_capsules", "decoder", "self_attention"),
        ("cross_capsules", "decoder", "cross_attention"),
    ],
)
def test_each_place_is_routed_alone(place, layer, attention):
    model = make(**{place: [2]})
    routed = [
        (name, number)
        for name in ("encoder", "decoder")
        for number, part in enumerate(getattr(model, name), 1)
        for kind in ("attention", "self_attention", "cross_attention")
        if hasattr(getattr(part, kind, None), "refinement")
    ]
    assert routed == [(layer, 2)]
    assert hasattr(getattr(getattr(model, layer)[1], attention), "refinement")


@needs_tensorflow
@PLACES
def test_the_shared_checks(check_model, switches):
    check_model(
        lambda: make(label_smoothing=0.1, capsules={"iterations": 2}, **switches),
        X,
        Y,
        loaded=f"""
tokens, _ = model.translate(x["token_ids"], beam_size=2)
assert tokens.shape == (4, 12)
assert model.get_config()["encoder_capsules"] == {switches.get("encoder_capsules", [])}
""",
    )


@needs_tensorflow
def test_two_replicas_give_the_weights_of_one():
    script = Path(__file__).with_name("two_replicas_of_the_translator.py")
    child = subprocess.run(
        [sys.executable, script],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1"},
        capture_output=True,
        text=True,
    )
    assert child.returncode == 0, child.stderr[-2000:]
    difference, moved = json.loads(child.stdout.splitlines()[-1])
    assert difference < 1e-5
    assert moved > 1e-2


def test_dropout_acts_in_training_only():
    model = make(dropout=0.5)
    np.testing.assert_array_equal(logits(model), logits(model))
    trained = array(model(X, training=True)["target"])
    assert np.abs(trained - logits(model)).max() > 1e-3


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="from 1 to 2. Received: \\[3\\]"):
        make(cross_capsules=[3])
    with pytest.raises(ValueError, match="Received: dim=16, num_heads=16"):
        make(num_heads=16)
