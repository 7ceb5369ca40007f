"""LRT and SlotRefine on a pretrained encoder in place of their embedding."""

import keras
import numpy as np
import pytest
from checks import array
from checks import arrays
from checks import assert_close
from checks import assert_equal
from checks import draw_weights
from models_data import TAGS
from models_data import Y
from piece_inputs import TAUGHT
from piece_inputs import PiecesBefore
from piece_inputs import X
from piece_inputs import expected_rows
from piece_inputs import padded

from keras_slu.layers.salient_history import SalientHistoryAttention
from keras_slu.models import LRT
from keras_slu.models import SlotRefine

WORDS = X["word_starts"] >= 0
MODELS = {"lrt": LRT, "slot_refine": SlotRefine}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    keras.utils.set_random_seed(3)
    made = MODELS[request.param](
        None,
        ["play", "stop"],
        TAGS,
        dim=16,
        num_layers=2,
        refine_after=(1,),
        generator=True,
        num_heads=2,
        dropout=0.0,
        encoder=PiecesBefore(),
    )
    identity = made.calibration.get_weights()
    draw_weights(made)
    made.calibration.set_weights(identity)
    return made


def test_a_row_is_the_dense_layer_of_a_first_piece(model):
    expected = array(model.encoder.projection(expected_rows(model)))
    rows = array(model._rows(X, training=False))
    assert_close([rows[:, 0]], [expected[:, 0]], 1e-5)
    assert_close([rows[:, 1:][WORDS]], [expected[:, 1:][WORDS]], 1e-5)
    assert not rows[:, 1:][~WORDS].any()


def test_more_padding_changes_nothing(model):
    short, long = model(X), model(padded())
    assert_close([array(long["intent"])], [array(short["intent"])], 1e-4)
    found = array(long["slots"])[:, :4][WORDS]
    np.testing.assert_allclose(found, array(short["slots"])[WORDS], atol=1e-4)


def test_training_moves_the_encoder(model):
    start = model.get_weights()
    table = array(model.encoder.encoder.embedding.embeddings).copy()
    history = model.fit(TAUGHT, Y, epochs=1, verbose=0).history
    assert np.isfinite(history["loss"]).all()
    assert np.abs(array(model.encoder.encoder.embedding.embeddings) - table).max() > 0.0
    model.set_weights(start)


def test_a_saved_model_answers_alike(model, tmp_path):
    model.save(tmp_path / "model.keras")
    again = keras.saving.load_model(tmp_path / "model.keras")
    assert again.reads_pieces
    assert_equal(arrays(again(X)), arrays(model(X)))


def test_earlier_turns_are_refused():
    with pytest.raises(ValueError, match="`salient_history`"):
        LRT(
            None,
            ["play"],
            TAGS,
            dim=16,
            num_heads=2,
            encoder=PiecesBefore(),
            salient_history=SalientHistoryAttention(16, num_heads=2),
        )
