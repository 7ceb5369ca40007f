"""Rows of words and sentences, with one and with two channels."""

import numpy as np
import pytest
from checks import array
from checks import draw_weights

from keras_slu.layers.sentence_embedder import SentenceEmbedder

IDS = np.array([[-1, 4, 2, 0], [5, -1, 1, 3]], "int32")


def make(**kwargs):
    return SentenceEmbedder(6, **{"embedding_dim": 4, "dim": 4, **kwargs})


@pytest.mark.parametrize("dim", [4, 7])
def test_a_word_has_its_vector_and_a_sentence_the_sentences(dim):
    layer = make(dim=dim)
    layer(IDS)
    draw_weights(layer)
    found = array(layer(IDS))
    expected = array(layer.embedding.embeddings)[np.maximum(IDS, 0)]
    assert (layer.projection is None) == (dim == 4)
    if dim != 4:
        kernel, bias = map(array, layer.projection.weights)
        expected = expected @ kernel + bias
    expected[IDS == -1] = array(layer.sentence)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_the_shared_checks(check_layer):
    inputs = {"ids": IDS}
    check_layer(lambda **kwargs: make(dim=6, **kwargs), inputs)


def test_two_channels_pass_the_shared_checks(check_layer):
    settings = {"static_dim": 3, "tuned_words": 4, "dim": 6}
    check_layer(lambda **kwargs: make(**settings, **kwargs), {"ids": IDS})
