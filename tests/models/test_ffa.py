"""FFA: its two streams, its switches, R-Drop, and the shared checks of a model."""

import json
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from checks import array
from checks import draw_weights
from models_data import X

from keras_slu.layers import CausalEmbedder
from keras_slu.layers import SelfAttentiveEmbedder
from keras_slu.losses import SlotCrossentropy
from keras_slu.losses import symmetric_divergence
from keras_slu.models.ffa import FFA

pytestmark = pytest.mark.slow  # minutes: `make test-slow`

MARKS = ["O", "COMMA", "PERIOD"]
Y = {"marks": np.array([[0, 1, 2, 0], [1, -1, 1, -1], [0, -1, -1, -1], [1, 1, 2, 2]])}
MASK = X["token_ids"] != 0


def make(kind=SelfAttentiveEmbedder, **kwargs):
    keras.utils.set_random_seed(3)
    encoder = kind(12, embedding_dim=4, dim=8)
    return FFA(encoder, MARKS, num_heads=4, **{"dropout": 0.0, **kwargs})


def test_one_encoder_feeds_both_streams():
    model = make(num_layers=2)
    draw_weights(model)
    streams = []
    for layers in (model.interaction_stream, model.masked_stream):
        hidden = model.encoder(X["token_ids"], padding_mask=MASK)
        for layer in layers:
            hidden = layer(hidden, padding_mask=MASK)
        streams.append(hidden)
    fused = model.fusion_layer(*streams, padding_mask=MASK)
    expected = array(model.logits(fused))
    np.testing.assert_allclose(array(model(X)["marks"]), expected, atol=1e-5)
    names = [
        [type(layer).__name__ for layer in layers]
        for layers in (model.interaction_stream, model.masked_stream)
    ]
    assert names == [["InteractionSelfAttention"] * 2, ["MaskedSelfAttention"] * 2]


def test_another_encoder_may_feed_the_masked_stream():
    other = CausalEmbedder(12, embedding_dim=4, dim=4)
    model = make(masked_encoder=other)
    assert model.fusion_layer.dim == 12
    before = array(model(X)["marks"])
    other.set_weights([weight + 1.0 for weight in other.get_weights()])
    assert np.abs(array(model(X)["marks"]) - before).max() > 1e-4


@pytest.mark.parametrize(
    "switches, layers, width",
    [
        ({}, ["InteractionSelfAttention", "MaskedSelfAttention", "FeatureFusion"], 16),
        (
            {"interaction": "mha"},
            ["TransformerLayer", "MaskedSelfAttention", "FeatureFusion"],
            16,
        ),
        ({"interaction": "none"}, ["MaskedSelfAttention", "TransformerLayer"], 8),
        ({"masked": False}, ["InteractionSelfAttention", "TransformerLayer"], 8),
        ({"fusion": False}, ["InteractionSelfAttention", "MaskedSelfAttention"], 16),
    ],
)
def test_each_ablation_is_a_switch(switches, layers, width):
    model = make(**switches)
    found = [*model.interaction_stream, *model.masked_stream, model.fusion_layer]
    assert [type(layer).__name__ for layer in found if layer is not None] == layers
    assert model.logits.kernel.shape[0] == width
    assert array(model(X)["marks"]).shape == (4, 4, 3)


def test_a_causal_model_is_blind_to_what_follows():
    model = make(CausalEmbedder, interaction="none", causal=True)
    draw_weights(model)
    changed = X["token_ids"].copy()
    changed[0, 2] = 11
    before, after = (
        array(model({"token_ids": ids})["marks"]) for ids in (X["token_ids"], changed)
    )
    np.testing.assert_allclose(after[0, :2], before[0, :2], atol=1e-6)
    assert np.abs(after[0, 2:] - before[0, 2:]).max() > 1e-3


def test_the_loss_is_that_of_two_passes_with_r_drop():
    model = make(dropout=0.4, r_drop=0.7)
    first, second = (model(X, training=True) for _ in range(2))
    model.call = lambda inputs, training=None: second
    found = float(model.compute_loss(X, Y, first))
    cross = SlotCrossentropy()
    losses = [array(cross.call(Y["marks"], p["marks"])) for p in (first, second)]
    apart = array(symmetric_divergence(first["marks"], second["marks"], MASK))
    assert apart.min() > 0.0
    expected = np.mean(0.5 * (losses[0] + losses[1]) + 0.7 * apart)
    assert found == pytest.approx(expected, rel=1e-5)
    # Not where nothing is learned.
    alone = float(model.compute_loss(X, Y, first, training=False))
    assert alone == pytest.approx(losses[0].mean(), rel=1e-5)


@pytest.mark.parametrize(
    "switches", [{"r_drop": 1.0}, {"head": "crf"}, {"loss": "focal", "gamma": 1.5}]
)
def test_the_shared_checks(check_model, switches):
    loaded = f"""
assert model.marks == {MARKS}
assert [model.r_drop, model.head, model.loss_name, model.gamma, model.window] == [
    {switches.get("r_drop", 0.0)}, "{switches.get("head", "softmax")}",
    "{switches.get("loss", "crossentropy")}", {switches.get("gamma", 2.0)}, 24]
"""
    check_model(lambda: make(window=24, **switches), X, Y, loaded)


@pytest.mark.parametrize(
    "switches, message",
    [
        ({"interaction": "x"}, "Received: 'x'"),
        ({"interaction": "none", "masked": False}, "needs a stream"),
        ({"causal": True}, "interaction='isa'"),
        ({"head": "y"}, "Received: 'y'"),
        ({"loss": "z"}, "Received: 'z'"),
        ({"head": "crf", "r_drop": 1.0}, "r_drop=1.0"),
    ],
)
def test_what_does_not_fit_is_refused(switches, message):
    with pytest.raises(ValueError, match=message):
        make(**switches)


def test_two_replicas_give_the_weights_of_one():
    script = Path(__file__).with_name("two_replicas_of_ffa.py")
    child = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300
    )
    assert child.returncode == 0, child.stderr
    results = json.loads(child.stdout.splitlines()[-1])
    for case, (apart, moved) in results.items():
        assert apart < 1e-5 < moved / 100, case
