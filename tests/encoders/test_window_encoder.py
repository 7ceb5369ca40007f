"""Windows of pieces, against the encoder called row by row."""

import keras
import numpy as np
import pytest

pytest.importorskip("keras_hub")
import tiny_encoders  # noqa: E402
from checks import array  # noqa: E402

from keras_slu.encoders.window_encoder import WindowEncoder  # noqa: E402
from keras_slu.text.piece_vocabulary import FIRST_PIECE  # noqa: E402

ROWS = [[5, 7, 9, 12], [11], [6, 6]]
IDS = np.array([[5, 7, 9, 12], [11, -1, -1, -1], [6, 6, -1, -1]]) + FIRST_PIECE
MASK = IDS != 0


def make(**settings):
    pieces = tiny_encoders.make_pieces()
    return WindowEncoder(
        tiny_encoders.make_hub_encoder(),
        start_id=pieces.start_id,
        end_id=pieces.end_id,
        pad_id=pieces.pad_id,
        **settings,
    )


def test_a_window_stands_between_start_and_end():
    layer = make()
    found = array(layer(IDS.astype("int32"), padding_mask=MASK))
    assert found.shape == (3, 4, layer.dim)
    for place, row in enumerate(ROWS):
        framed = np.array([[layer.start_id, *row, layer.end_id]], "int32")
        alone = array(layer.encoder(framed, padding_mask=np.ones_like(framed, bool)))
        np.testing.assert_allclose(found[place, : len(row)], alone[0, 1:-1], atol=1e-5)


def test_padding_changes_nothing():
    layer = make(dim=6)
    wide = np.pad(IDS, [(0, 0), (0, 3)]).astype("int32")
    found = array(layer(wide, padding_mask=wide != 0))
    expected = array(layer(IDS.astype("int32"), padding_mask=MASK))
    assert expected.shape == (3, 4, 6)
    np.testing.assert_allclose(found[:, :4][MASK], expected[MASK], atol=1e-5)


def test_it_comes_back_from_its_config():
    layer = make(dim=6, dropout=0.1)
    layer(IDS.astype("int32"), padding_mask=MASK)
    config = keras.saving.serialize_keras_object(layer)
    again = keras.saving.deserialize_keras_object(config)
    again(IDS.astype("int32"), padding_mask=MASK)
    again.set_weights(layer.get_weights())
    np.testing.assert_array_equal(
        *(
            array(made(IDS.astype("int32"), padding_mask=MASK))
            for made in (layer, again)
        )
    )
    assert again.get_config() == layer.get_config()
