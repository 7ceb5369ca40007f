"""Co-Interactive: its blocks, and the shared checks of a model."""

import keras
import numpy as np
import pytest
from checks import array
from checks import draw_weights
from models_data import TAGS
from models_data import X
from models_data import Y

from keras_slu.layers.masks import softmax_bias
from keras_slu.models.co_interactive import CoInteractive


def make(**kwargs):
    keras.utils.set_random_seed(3)
    settings = {"embedding_dim": 4, "dim": 16, **kwargs}
    return CoInteractive(12, intents=["play", "stop"], tags=TAGS, **settings)


def test_label_attention_comes_before_every_block():
    model = make(num_blocks=3)
    draw_weights(model)
    mask = X["token_ids"] != 0
    intent = slots = model.encoder(X["token_ids"], padding_mask=mask)
    heads = (model.intent_logits, model.slot_logits)
    for block in model.interaction:
        intent, slots = (
            model.label_attention(hidden, keras.ops.transpose(head.kernel))
            for hidden, head in zip((intent, slots), heads, strict=True)
        )
        intent, slots = block(intent, slots, padding_mask=mask)
    pooled = np.max(array(intent) + array(softmax_bias(mask, "float32"))[..., None], 1)
    expected = array(model.intent_logits(pooled))
    np.testing.assert_allclose(array(model(X)["intent"]), expected, atol=1e-5)
    assert len(model.interaction) == len(model.attention_scores(X)) == 3


@pytest.mark.parametrize("attention", ["first_order", "bilinear", "none"])
def test_the_attention_is_an_argument(attention):
    model = make(attention=attention, num_blocks=1)
    names = {type(layer).__name__ for layer in model._flatten_layers()}
    assert ("BilinearAttention" in names) == (attention == "bilinear")
    assert ("FirstOrderAttention" in names) == (attention == "first_order")


def test_no_blocks_are_refused():
    with pytest.raises(ValueError, match="num_blocks"):
        make(num_blocks=0)


def test_the_shared_checks(check_model):
    loaded = """
assert [block.attention for block in model.interaction] == ["bilinear"] * 2
assert model.encoder.embedding_dim == 4
"""
    check_model(lambda: make(attention="bilinear"), X, Y, loaded)
