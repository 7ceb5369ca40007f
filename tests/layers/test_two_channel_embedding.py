"""The two-channel embedding against a look-up written out."""

import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from keras import ops

from keras_slu.layers.two_channel_embedding import TwoChannelEmbedding

TOKEN_IDS = np.array([[2, 5, 3, 0], [4, 1, 0, 0]], "int32")
ROWS = np.array([0, 1, 2, 1, 3, 1], "int32")


def make(**kwargs):
    return TwoChannelEmbedding(6, static_dim=3, tuned_dim=2, tuned_words=4, **kwargs)


def drawn(**kwargs):
    embedding = make(**kwargs)
    embedding(TOKEN_IDS)
    draw_weights(embedding)
    embedding.set_vectors(array(embedding.static), ROWS)
    return embedding


def test_words_without_a_row_of_their_own_share_the_unknown_words():
    embedding = drawn()
    expected = np.concatenate(
        [
            array(embedding.static)[TOKEN_IDS],
            array(embedding.tuned)[ROWS[TOKEN_IDS]],
        ],
        axis=-1,
    )
    np.testing.assert_array_equal(array(embedding(TOKEN_IDS)), expected)


def test_at_first_the_first_words_are_tuned():
    embedding = make()
    embedding.build()
    assert array(embedding.rows).tolist() == [0, 1, 2, 3, 1, 1]


def test_channel_dropout_takes_words_for_unknown_in_training_only():
    embedding = drawn(channel_dropout=0.5)
    many = np.full((40, 50), 4, "int32")
    many[:, -1] = 0
    output = array(embedding(many, training=True))
    np.testing.assert_array_equal(output[..., :3], array(embedding.static)[many])
    dropped = (output[:, :-1, 3:] == array(embedding.tuned)[1]).all(axis=-1)
    kept = (output[:, :-1, 3:] == array(embedding.tuned)[3]).all(axis=-1)
    assert (dropped ^ kept).all()
    assert 0.45 < dropped.mean() < 0.55
    assert (output[:, -1, 3:] == array(embedding.tuned)[0]).all()  # padding stays
    np.testing.assert_array_equal(
        array(embedding(many, training=False))[0, 0, 3:], array(embedding.tuned)[3]
    )


@needs_tensorflow
def test_only_the_tuned_channel_is_trained():
    embedding = drawn()
    assert [w.name for w in embedding.trainable_weights] == ["tuned"]

    def loss():
        return ops.sum(ops.square(embedding(TOKEN_IDS[:1])))

    (gradient,) = gradients(loss, [embedding.tuned])
    moved = np.abs(gradient).sum(axis=1) > 0
    assert moved.tolist() == [True, True, True, False]


def test_a_number_of_rows_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="tuned_words"):
        TwoChannelEmbedding(6, static_dim=3, tuned_dim=2, tuned_words=7)


def test_the_shared_checks(check_layer):
    check_layer(make, {"token_ids": TOKEN_IDS})


def test_the_rows_are_saved(tmp_path):
    import keras

    inputs = keras.Input((None,), dtype="int32")
    embedding = make()
    model = keras.Model(inputs, embedding(inputs))
    embedding.set_vectors(np.ones((6, 3)), ROWS)
    expected = arrays(model(TOKEN_IDS))
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    np.testing.assert_array_equal(arrays(again(TOKEN_IDS)), expected)
