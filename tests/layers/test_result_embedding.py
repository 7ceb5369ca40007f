"""Results of earlier turns as features: classes, sets, tags, and none."""

import numpy as np
import pytest
from checks import array
from checks import draw_weights

from keras_slu.layers.result_embedding import ResultEmbedding

IDS = np.array([[-1, 4, 5, -1, 3, 2], [-1, 1, 0, 0, 0, 0]], "int32")
RESULTS = np.array([[2, 0, 3, -1, -1, 1], [1, 2, 0, 0, 0, 0]], "int32")


def test_a_sentence_has_its_intent_and_a_word_its_tag():
    layer = ResultEmbedding(num_intents=3, num_tags=4, dim=5)
    layer(IDS, RESULTS)
    draw_weights(layer)
    found = array(layer(IDS, RESULTS))
    intents, tags = array(layer.intents), array(layer.tags)
    expected = [intents[2], tags[0], tags[3], tags[4], tags[4], tags[1]]
    np.testing.assert_allclose(found[0], expected)
    np.testing.assert_allclose(found[1, :2], [intents[1], tags[2]])


def test_a_set_is_the_sum_of_its_intents():
    layer = ResultEmbedding(num_intents=31, num_tags=4, dim=5, intent_sets=True)
    sets = np.array([[0, 1, 2**30 + 2, 2**31 - 1]], "int32")
    ids = np.full_like(sets, -1)
    layer(ids, sets)
    draw_weights(layer)
    of = array(layer.intents)
    expected = [0 * of[0], of[0], of[1] + of[30], of.sum(axis=0)]
    np.testing.assert_allclose(array(layer(ids, sets))[0], expected, atol=1e-5)
    with pytest.raises(ValueError, match="31"):
        ResultEmbedding(num_intents=32, num_tags=4, dim=5, intent_sets=True)


@pytest.mark.parametrize("intent_sets", [False, True])
def test_the_shared_checks(check_layer, intent_sets):
    def make(**kwargs):
        return ResultEmbedding(3, 4, 6, intent_sets=intent_sets, **kwargs)

    check_layer(make, {"ids": IDS, "results": RESULTS})
