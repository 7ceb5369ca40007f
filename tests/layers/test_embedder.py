"""The embedder against an LSTM written out, each utterance on its own."""

import numpy as np
import pytest
from checks import array
from checks import draw_weights

from keras_slu.layers.embedder import SelfAttentiveEmbedder

TOKEN_IDS = np.array([[4, 8, 1, 5, 2], [6, 3, 8, 0, 0], [7, 0, 0, 0, 0]], "int32")


def make(**kwargs):
    embedder = SelfAttentiveEmbedder(10, embedding_dim=3, dim=4, **kwargs)
    embedder(TOKEN_IDS)
    draw_weights(embedder)
    return embedder


def lstm(inputs, kernel, recurrent_kernel, bias):
    """Hochreiter and Schmidhuber's LSTM; Keras keeps gates as i, f, c, o."""

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    h = c = np.zeros(len(recurrent_kernel))
    states = []
    for x in inputs:
        i, f, g, o = np.split(x @ kernel + h @ recurrent_kernel + bias, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


@pytest.mark.parametrize("training", [False, True])
def test_the_bilstm(training):
    embedder = make()
    outputs = array(embedder(TOKEN_IDS, training=training))
    table, *weights = map(array, embedder.weights)
    for row, output in zip(TOKEN_IDS, outputs, strict=True):
        inputs = table[row[row > 0]]
        forward = lstm(inputs, *weights[:3])
        backward = lstm(inputs[::-1], *weights[3:])[::-1]
        expected = np.concatenate([forward, backward], axis=-1)
        np.testing.assert_allclose(output[: len(inputs)], expected, atol=1e-5)
        assert not output[len(inputs) :].any()


def test_self_attention_joins_the_bilstm():
    embedder = make(self_attention=True)
    table, *weights = map(array, embedder.weights)
    plain = make()
    plain.set_weights([table, *weights[:6]])
    mask = TOKEN_IDS != 0
    embedded = table[TOKEN_IDS]
    attended = embedder.attention(embedded, embedded, embedded, padding_mask=mask)
    both = np.concatenate([array(plain(TOKEN_IDS)), array(attended)], axis=-1)
    kernel, bias = map(array, embedder.join.weights)
    np.testing.assert_allclose(
        array(embedder(TOKEN_IDS)), both @ kernel + bias, atol=1e-5
    )


def test_a_mask_that_is_given_wins():
    embedder = make()
    np.testing.assert_array_equal(
        array(embedder(TOKEN_IDS)),
        array(embedder(TOKEN_IDS, padding_mask=TOKEN_IDS != 0)),
    )
    # Here the third token of each row counts as padding.
    shorter = array(embedder(TOKEN_IDS, padding_mask=TOKEN_IDS * [1, 1, 0, 0, 0] != 0))
    expected = array(embedder(TOKEN_IDS[:, :2]))
    np.testing.assert_allclose(shorter[:, :2], expected, atol=1e-6)


def test_the_word_embedding_can_be_kept_still():
    trainable = make(trainable_embedding=False).trainable_weights
    assert len(trainable) == 6
    assert all("embedding" not in w.path.split("/")[-2] for w in trainable)


@pytest.mark.parametrize("rate", ["embedding_dropout", "dropout"])
def test_dropout_acts_in_training_only(rate):
    embedder = make(**{rate: 0.5})
    usual = array(embedder(TOKEN_IDS))
    np.testing.assert_array_equal(array(embedder(TOKEN_IDS, training=False)), usual)
    assert np.abs(array(embedder(TOKEN_IDS, training=True)) - usual).max() > 0.01


@pytest.mark.parametrize("self_attention", [False, True])
def test_the_shared_checks(check_layer, self_attention):
    check_layer(
        lambda **kwargs: SelfAttentiveEmbedder(
            10, 3, 4, self_attention=self_attention, **kwargs
        ),
        {"token_ids": TOKEN_IDS, "padding_mask": TOKEN_IDS != 0},
    )


def test_an_odd_width_is_refused():
    with pytest.raises(ValueError, match="Received: 5"):
        SelfAttentiveEmbedder(10, embedding_dim=3, dim=5)
