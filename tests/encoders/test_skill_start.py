"""A SkillNet that starts from a BERT gives what the BERT gives."""

import keras
import numpy as np
import pytest
import skills

pytest.importorskip("keras_hub")
import tiny_encoders  # noqa: E402

from keras_slu.encoders.hub import HubEncoder  # noqa: E402
from keras_slu.encoders.skill_start import start_from_bert  # noqa: E402
from keras_slu.errors import InputError  # noqa: E402

IDS = np.array([[2, 5, 7, 8, 3, 6, 3], [2, 12, 3, 0, 0, 0, 0]], "int32")
SEGMENTS = np.array([[0, 0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0, 0]], "int32")
SIZES = {
    "vocabulary_size": len(tiny_encoders.PIECES),
    "dim": tiny_encoders.SIZES["dim"],
    "num_heads": tiny_encoders.SIZES["heads"],
    "inner_dim": tiny_encoders.SIZES["inner"],
    "num_layers": tiny_encoders.SIZES["layers"],
    "max_pieces": tiny_encoders.SIZES["positions"],
}


def check(model, backbone):
    start_from_bert(model, HubEncoder(backbone))
    inputs = {"token_ids": IDS, "segment_ids": SEGMENTS, "padding_mask": IDS != 0}
    expected = backbone(inputs)
    found = np.array(model.encoder(IDS, SEGMENTS))
    mask = IDS != 0
    np.testing.assert_allclose(
        found[mask], np.array(expected["sequence_output"])[mask], atol=1e-5
    )
    pooled = np.array(model.pooler(found[:, 0]))
    np.testing.assert_allclose(pooled, np.array(expected["pooled_output"]), atol=1e-5)


@pytest.mark.parametrize(
    "how", [{}, {"skill_layers": 1}, {"kind": "dense"}, {"max_pieces": 10}]
)
def test_all_skills_active_are_the_dense_model(how):
    backbone = tiny_encoders.make_hub_encoder().backbone
    check(skills.make(**{**SIZES, **how}), backbone)


def test_a_model_garden_bert_is_a_start_too():
    pytest.importorskip("official.nlp.configs.encoders")
    from keras_slu.encoders.model_garden import ModelGardenEncoder

    encoder = ModelGardenEncoder(tiny_encoders.MODEL_GARDEN)
    tiny_encoders.draw_weights(encoder)
    model = skills.make(**SIZES)
    start_from_bert(model, encoder)
    ids = np.where(SEGMENTS == 1, 0, IDS)  # it reads one segment here
    expected = np.array(encoder(ids, ids != 0))
    found = np.array(model.encoder(ids))
    np.testing.assert_allclose(found[ids != 0], expected[ids != 0], atol=1e-5)


@pytest.mark.parametrize(
    "size, value",
    [("dim", 8), ("vocabulary_size", 30), ("num_layers", 3), ("max_pieces", 41)],
)
def test_a_checkpoint_of_another_size_is_refused(size, value):
    model = skills.make(**{**SIZES, size: value})
    before = model.get_weights()
    with pytest.raises(InputError, match=f"{size}={SIZES[size]} of the start"):
        start_from_bert(model, tiny_encoders.make_hub_encoder())
    for one, two in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(one, two)


def test_another_kind_of_encoder_is_refused():
    inputs = keras.Input((None,), dtype="int32", name="token_ids")
    outputs = keras.layers.Embedding(9, 4)(inputs)
    encoder = HubEncoder(keras.Model({"token_ids": inputs}, outputs))
    with pytest.raises(InputError, match="Name a checkpoint of BERT"):
        start_from_bert(skills.make(), encoder)
