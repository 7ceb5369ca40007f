"""The encoder: its embedding, which layers hold skills, and how many weights."""

import keras
import numpy as np
import pytest
import skills
from checks import array
from checks import draw_weights

from keras_slu.layers.skill_encoder import SkillEncoder
from keras_slu.layers.skill_weights import take_encoder

PIECES = np.array([[2, 8, 15, 3, 4, 3], [2, 9, 3, 0, 0, 0]], "int32")
SEGMENTS = np.array([[0, 0, 0, 0, 1, 1], [0, 0, 0, 0, 0, 0]], "int32")
NAMES = ["s1", "s2", "s7"]
SIZES = {"dim": 8, "num_heads": 2, "inner_dim": 12, "num_layers": 3, "max_pieces": 10}


def make(random=True, **kwargs):
    encoder = SkillEncoder(20, **{**SIZES, "skills": NAMES, **kwargs})
    encoder.build()
    if random:
        draw_weights(encoder)
    return encoder


def test_the_equations():
    encoder = make(skill_layers=2)
    pieces, segments = (
        array(layer.embeddings)
        for layer in (encoder.embedding, encoder.segment_embedding)
    )
    places = array(encoder.positions)[:6]
    hidden = skills.norm(encoder.norm, pieces[PIECES] + segments[SEGMENTS] + places)
    mask = PIECES != 0
    for layer, how in zip(
        encoder.layers, ({}, *[{"skills": ("s2", "s7")}] * 2), strict=True
    ):
        hidden = array(layer(hidden.astype("float32"), padding_mask=mask, **how))
    found = array(encoder(PIECES, SEGMENTS, skills=("s2", "s7")))
    np.testing.assert_allclose(found[mask], hidden[mask], atol=1e-4)


@pytest.mark.parametrize(
    "skill_layers, kinds", [(None, "sss"), (2, "dss"), (1, "dds"), (0, "ddd")]
)
def test_skills_are_in_the_top_layers(skill_layers, kinds):
    encoder = make(skill_layers=skill_layers, random=False)
    assert "".join(layer.kind[0] for layer in encoder.layers) == kinds


def test_with_all_skills_alike_it_is_the_dense_encoder():
    dense, sparse = make(kind="dense", skills=()), make(skill_layers=2)
    take_encoder(sparse, dense)
    expected = array(dense(PIECES, SEGMENTS))
    for active in (None, ("s1",), ("s2", "s7")):
        found = array(sparse(PIECES, SEGMENTS, skills=active))
        np.testing.assert_allclose(found, expected, atol=1e-5)
    mixture = make(kind="mixture", num_experts=3)
    take_encoder(mixture, dense)
    np.testing.assert_allclose(array(mixture(PIECES, SEGMENTS)), expected, atol=1e-5)


def test_a_skill_starts_from_another():
    encoder, other = make(skills=["s8", "s7"]), make()
    take_encoder(encoder, other, {"s8": "s2"})
    np.testing.assert_allclose(
        array(encoder(PIECES, SEGMENTS, skills=("s8", "s7"))),
        array(other(PIECES, SEGMENTS, skills=("s2", "s7"))),
        atol=1e-6,
    )


@pytest.mark.parametrize(
    "change, message",
    [
        ({"dim": 16}, "dim=8 of the start, dim=16 of the model"),
        ({"max_pieces": 11}, "max_pieces=10 of the start"),
        ({"skills": ["s1", "s9"]}, "The skill 's9' must have one to start from"),
        ({"kind": "dense"}, "A FeedForward cannot start from a SkillFeedForward"),
    ],
)
def test_a_start_that_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        take_encoder(make(random=False, **change), make(random=False))


def test_rows_that_are_too_long_are_refused():
    with pytest.raises(ValueError, match="at most 10 columns. Received: 11"):
        make(random=False)(np.ones((1, 11), "int32"))
    with pytest.raises(ValueError, match="skill_layers=4, num_layers=3"):
        make(skill_layers=4)


@pytest.fixture
def without_memory():
    """A scope in which weights have shapes but no values."""
    with keras.StatelessScope(initialize_variables=False):
        yield
    keras.utils.clear_session()  # forgets what waits for its values


POOLER = 590_592


@pytest.mark.parametrize(
    "skill_layers, parameters",
    [
        (3, 187_271_424),
        (6, 272_275_200),
        (9, 357_278_976),
        (12, 442_282_752),
    ],
)
def test_the_parameters_of_berts_shape(without_memory, skill_layers, parameters):
    encoder = _bert_base(7, skill_layers)
    assert encoder.count_params() + POOLER == parameters


def test_the_active_parameters_of_berts_shape(without_memory):
    encoder = _bert_base(8, 12)
    assert encoder.count_params() + POOLER == 498_951_936
    expected = {1: 102_267_648, 2: 158_936_832, 3: 215_606_016, 4: 272_275_200}
    for number, parameters in {**expected, 5: 328_944_384}.items():
        active = encoder.active_parameters(tuple(f"s{k + 1}" for k in range(number)))
        assert active + POOLER == parameters


def test_the_active_parameters_of_a_mixture():
    encoder = make(kind="mixture", num_experts=5, top_k=2, random=False)
    expert = 8 * 12 + 12 + 12 * 8 + 8
    assert encoder.active_parameters(()) == encoder.count_params() - 3 * 3 * expert


def _bert_base(skills, skill_layers):
    encoder = SkillEncoder(
        21_128,
        768,
        12,
        3_072,
        12,
        skills=[f"s{k + 1}" for k in range(skills)],
        skill_layers=skill_layers,
    )
    encoder.build()
    return encoder


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: SkillEncoder(
            20, **SIZES, skills=NAMES, skill_layers=1, dropout=0.2, **kwargs
        ),
        {"pieces": np.maximum(PIECES, 1), "segments": SEGMENTS},
    )
