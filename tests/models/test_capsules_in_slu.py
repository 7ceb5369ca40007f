"""HAN and LRT with capsules behind the heads of their attention."""

import json

import keras
import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import assert_equal
from checks import gradients
from checks import needs_tensorflow
from models_data import TAGS
from models_data import X
from models_data import Y

from keras_slu.layers import CapsuleRefinement
from keras_slu.models.han import HAN
from keras_slu.models.lrt import LRT
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.vocabulary import Vocabulary

WORDS = "play book the hey jude rome song now . !".split()
MODELS = {
    "han": (HAN, {"dim": 32, "num_layers": 1}, "attention", "first_order", "capsule_"),
    "lrt": (LRT, {"dim": 16, "num_heads": 4, "num_layers": 2}, "routing", None, ""),
}
KINDS = pytest.mark.parametrize("kind", MODELS)
ROUTINGS = pytest.mark.parametrize("routing", ["dynamic", "em"])


def make(kind, routing):
    keras.utils.set_random_seed(3)
    maker, settings, key, plain, prefix = MODELS[kind]
    settings = {"embedding_dim": 4, **settings}
    if kind == "lrt":
        settings |= {"refine_after": (1,), "dropout": 0.0}
    settings[key] = prefix + routing if routing else plain
    return maker(12, intents=["play", "stop"], tags=TAGS, **settings)


def refinements(model):
    layers = model._flatten_layers(include_self=False)
    return [layer for layer in layers if isinstance(layer, CapsuleRefinement)]


@KINDS
@ROUTINGS
def test_capsules_refine_what_is_otherwise_plain_attention(kind, routing):
    plain, routed = make(kind, None), make(kind, routing)
    assert not refinements(plain)
    found = refinements(routed)
    assert len(found) == 2  # layers, or sides of the one layer
    assert all(layer.routing == routing for layer in found)

    own = {id(weight) for layer in found for weight in layer.weights}
    shared = [weight for weight in routed.weights if id(weight) not in own]
    assert len(shared) == len(plain.weights)
    for one, other in zip(shared, plain.weights, strict=True):
        one.assign(array(other))
    before = arrays(routed(X))
    assert np.abs(before[0] - arrays(plain(X))[0]).max() > 1e-4
    for layer in found:
        for weight in layer.ffn.outer.weights:
            weight.assign(keras.ops.zeros_like(weight))
    for one, other in zip(arrays(routed(X)), arrays(plain(X)), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@needs_tensorflow
@KINDS
@ROUTINGS
def test_gradients_reach_all_of_them_and_the_config_keeps_them(kind, routing):
    model = make(kind, routing)
    weights = [w for layer in refinements(model) for w in layer.trainable_weights]
    found = gradients(
        lambda: model.compute_loss(X, Y, model(X, training=True)), weights
    )
    assert all(np.isfinite(gradient).all() for gradient in found)
    again = type(model).from_config(json.loads(json.dumps(model.get_config())))
    again.set_weights(model.get_weights())
    assert_equal(arrays(again(X)), arrays(model(X)))


@needs_tensorflow
@KINDS
@ROUTINGS
def test_a_device_answers_alike(kind, routing, tmp_path):
    """The converter refuses what is no builtin operation."""
    pytest.importorskip("ai_edge_litert.interpreter")
    import keras_slu
    from keras_slu.export.litert import export_litert

    model = make(kind, routing)
    model.tokenizer = Tokenizer()
    model.vocabulary = Vocabulary(WORDS)
    model.save(tmp_path / "model.keras")
    export_litert(tmp_path, tmp_path / "small.tflite")
    parsers = keras_slu.load(tmp_path), keras_slu.load(tmp_path / "small.tflite")
    for text in ("play hey jude", "book the song now !"):
        ours, theirs = (parser.parse(text) for parser in parsers)
        for one, other in zip(ours.intents, theirs.intents, strict=True):
            assert one.probability == pytest.approx(other.probability, abs=1e-4)
        assert [slot.name for slot in ours.slots] == [
            slot.name for slot in theirs.slots
        ]
