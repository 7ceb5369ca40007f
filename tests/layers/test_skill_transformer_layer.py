"""The wiring of a layer of skills, and that it is BERT's."""

import numpy as np
import pytest
import skills
from checks import array
from checks import draw
from checks import draw_weights
from checks import prefix_mask

from keras_slu.layers.skill_transformer_layer import SkillTransformerLayer

HIDDEN, MASK = draw(3, 5, 8), prefix_mask([5, 3, 1], 5)
KINDS = {
    "skill": {"skills": ["s1", "s2", "s7"]},
    "dense": {},
    "mixture": {"num_experts": 3},
}


def make(kind, **kwargs):
    layer = SkillTransformerLayer(8, 2, 12, kind, **KINDS[kind], **kwargs)
    layer(HIDDEN)
    draw_weights(layer)
    return layer


@pytest.mark.parametrize("kind", KINDS)
def test_the_equations(kind):
    layer = make(kind)
    active = {"skills": ("s1", "s7")} if kind == "skill" else {}
    attended = array(layer.attention(HIDDEN, padding_mask=MASK))
    hidden = skills.norm(layer.attention_norm.norm, HIDDEN + attended)
    update = array(layer.feed_forward(hidden, **active))
    expected = skills.norm(layer.output_norm.norm, hidden + update)
    found = array(layer(HIDDEN, padding_mask=MASK, **active))
    np.testing.assert_allclose(found, expected, atol=1e-4)


def test_the_attention_has_biases():
    layer = make("dense")
    before = array(layer(HIDDEN))
    bias = layer.attention.projection.bias
    bias.assign(array(bias) + np.arange(24) / 8.0)
    assert np.abs(array(layer(HIDDEN)) - before).max() > 1e-2


def test_dropout_acts_in_training_only():
    for rate in ("dropout", "attention_dropout"):
        layer = make("skill", **{rate: 0.5})
        usual, on = (array(layer(HIDDEN, training=t)) for t in (False, True))
        np.testing.assert_array_equal(array(layer(HIDDEN)), usual)
        assert np.abs(on - usual).max() > 0.01


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="Received: 'sparse'"):
        SkillTransformerLayer(8, 2, kind="sparse")
    with pytest.raises(ValueError, match="needs `num_experts`"):
        SkillTransformerLayer(8, 2, kind="mixture")


@pytest.mark.parametrize("kind", KINDS)
def test_the_shared_checks(check_layer, kind):
    check_layer(
        lambda **kwargs: SkillTransformerLayer(8, 2, 12, kind, **KINDS[kind], **kwargs),
        {"hidden": HIDDEN, "padding_mask": MASK},
    )
