"""Networks of skills: their mean, and that the others are not there."""

import numpy as np
import pytest
import skills
from checks import array
from checks import draw
from checks import draw_weights

from keras_slu.layers.skill_feed_forward import SkillFeedForward

HIDDEN = draw(2, 5, 6)


def make(names=("s1", "s2", "s7")):
    layer = SkillFeedForward(names, 6, 9)
    layer(HIDDEN)
    draw_weights(layer)
    return layer


@pytest.mark.parametrize("active", [("s2",), ("s7", "s1"), None])
def test_the_equation(active):
    layer = make()
    of_each = [
        skills.feed_forward(layer.network(s), HIDDEN) for s in active or layer.skills
    ]
    expected = np.mean(of_each, axis=0)
    found = array(layer(HIDDEN, skills=active))
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_trace_holds_the_active_networks_only():
    tf = pytest.importorskip("tensorflow")
    layer = make()
    traced = tf.function(lambda: layer(HIDDEN, skills=("s1", "s7")))
    graph = traced.get_concrete_function().graph
    held = {id(variable) for variable in graph.variables}
    for skill, is_active in (("s1", True), ("s2", False), ("s7", True)):
        of_skill = {id(v.value) for v in layer.network(skill).variables}
        assert of_skill & held == (of_skill if is_active else set()), skill
    products = [op for op in graph.get_operations() if op.type == "MatMul"]
    assert len(products) == 2 * 2


def test_unknown_skills_and_none_are_refused():
    layer = make()
    for wrong in (("s1", "s9"), ()):
        with pytest.raises(ValueError, match=r"must be some of \['s1', 's2', 's7'\]"):
            layer(HIDDEN, skills=wrong)
    for wrong in (["s1", "s1"], []):
        with pytest.raises(ValueError, match="without doubles"):
            SkillFeedForward(wrong, 6, 9)


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: SkillFeedForward(["s1", "s7"], 6, 9, **kwargs),
        {"hidden": HIDDEN},
    )
