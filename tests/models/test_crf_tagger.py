"""The CRF behind functional models of users, with each kind of mask."""

import json
from itertools import product

import keras
import numpy as np
import pytest
from checks import array
from checks import draw
from checks import draw_weights
from checks import pad

from keras_slu.models.crf_tagger import CRFTagger

TAGS = ["O", "B-a", "I-a"]
IDS = np.array([[4, 8, 1, 5], [6, 3, 8, 0], [7, 0, 0, 0], [2, 2, 9, 4]], "int32")
SHAPES = IDS % 3
LABELS = np.array([[0, 1, 2, 0], [1, 0, 1, -1], [0, -1, -1, -1], [1, 1, 2, 2]], "int32")


def with_mask_zero(**kwargs):
    token_ids = keras.Input((None,), dtype="int32")
    hidden = keras.layers.Embedding(10, 4, mask_zero=True)(token_ids)
    hidden = keras.layers.LSTM(4, return_sequences=True)(hidden)
    return CRFTagger(token_ids, keras.layers.Dense(3)(hidden), **kwargs)


def with_explicit_mask(**kwargs):
    token_ids = keras.Input((None,), dtype="int32")
    hidden = keras.layers.Embedding(10, 4)(token_ids)
    return CRFTagger(
        token_ids,
        keras.layers.Dense(3)(hidden),
        padding_mask=keras.ops.not_equal(token_ids, 0),
        **kwargs,
    )


def without_mask(**kwargs):
    token_ids = keras.Input((None,), dtype="int32")
    hidden = keras.layers.Embedding(10, 4)(token_ids)
    return CRFTagger(token_ids, keras.layers.Dense(3)(hidden), **kwargs)


def with_two_inputs(**kwargs):
    inputs = {
        "words": keras.Input((None,), dtype="int32", name="words"),
        "shapes": keras.Input((None,), dtype="int32", name="shapes"),
    }
    words = keras.layers.Embedding(10, 4, mask_zero=True)(inputs["words"])
    shapes = keras.layers.Embedding(3, 4, mask_zero=False)(inputs["shapes"])
    hidden = keras.layers.Concatenate()([words, shapes])
    return CRFTagger(
        inputs,
        keras.layers.Dense(3)(hidden),
        padding_mask=keras.ops.not_equal(inputs["words"], 0),
        **kwargs,
    )


# Each with inputs and with the tokens that count as real.
CASES = {
    with_mask_zero: (IDS, IDS != 0),
    with_explicit_mask: (IDS, IDS != 0),
    without_mask: (IDS[[0, 3]], np.ones((2, 4), bool)),
    with_two_inputs: ({"words": IDS, "shapes": SHAPES}, IDS != 0),
}
cases = pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)


def ready(make, **kwargs):
    """A compiled tagger with random weights."""
    keras.utils.set_random_seed(3)
    tagger = make(**kwargs)
    draw_weights(tagger)
    tagger.compile(optimizer="adam")
    return tagger


def labels_of(mask):
    return LABELS if len(mask) == 4 else LABELS[[0, 3]]


def scored_paths(tagger, potentials, legal=False):
    """All tag sequences of one utterance and their log-probabilities."""
    weights = {w.name: np.float64(array(w)) for w in tagger.crf.weights}
    paths = np.array(
        [
            path
            for path in product(range(3), repeat=len(potentials))
            # Id 2 is `I-a`, which only `B-a` and `I-a` let in.
            if not legal
            or all(b != 2 or a for a, b in zip((0, *path), path, strict=False))
        ]
    )
    scores = [
        weights["start"][path[0]]
        + weights["end"][path[-1]]
        + weights["transitions"][path[:-1], path[1:]].sum()
        + np.float64(potentials)[np.arange(len(path)), path].sum()
        for path in paths
    ]
    return paths, scores - np.log(np.sum(np.exp(scores)))


def losses_by_hand(tagger, x, mask, legal=False):
    losses = []
    for potentials, labels, real in zip(
        array(tagger(x)), labels_of(mask), mask, strict=True
    ):
        paths, logs = scored_paths(tagger, potentials[real], legal)
        losses.append(-logs[(paths == labels[real]).all(axis=1)][0])
    return np.array(losses)


@cases
@pytest.mark.parametrize("tags", [None, TAGS])
def test_the_loss_is_that_of_the_crf(make, tags):
    tagger = ready(make, tags=tags)
    x, mask = CASES[make]
    y = labels_of(mask)
    losses = losses_by_hand(tagger, x, mask, legal=tags is not None)
    loss = tagger.evaluate(x, y, batch_size=2, verbose=0)
    assert loss == pytest.approx(losses.mean(), rel=1e-4)
    weights = np.linspace(0.0, 2.0, len(mask)).astype("float32")
    loss = tagger.evaluate(x, y, batch_size=2, sample_weight=weights, verbose=0)
    assert loss == pytest.approx((losses * weights).mean(), rel=1e-4)


@cases
@pytest.mark.parametrize("tags", [None, TAGS])
def test_predicted_tags_are_the_most_probable(make, tags):
    tagger = ready(make, tags=tags)
    x, mask = CASES[make]
    predicted = tagger.predict_tags(x)
    assert isinstance(predicted, np.ndarray)
    assert predicted.dtype == "int32"
    for row, potentials in enumerate(array(tagger(x))):
        real = mask[row]
        paths, logs = scored_paths(tagger, potentials[real], legal=tags is not None)
        np.testing.assert_array_equal(predicted[row, real], paths[logs.argmax()])
        assert (predicted[row, ~real] == -1).all()


def test_tags_that_bio_forbids_are_never_predicted():
    inputs = keras.Input((None, 3))
    free = CRFTagger(inputs, inputs)
    bound = CRFTagger(inputs, inputs, tags=TAGS)
    potentials = np.tile(np.float32([0.0, -1.0, 5.0]), (1, 3, 1))
    assert free.predict_tags(potentials).tolist() == [[2, 2, 2]]
    assert bound.predict_tags(potentials).tolist() == [[1, 2, 2]]


@cases
def test_the_shared_checks(check_model, make):
    x, mask = CASES[make]
    if make is without_mask:
        x, mask = np.maximum(IDS, 1), np.ones_like(IDS, bool)

    def make_compiled():
        keras.utils.set_random_seed(3)
        tagger = make(tags=TAGS)
        tagger.compile(optimizer=keras.optimizers.Adam(0.05))
        return tagger

    y = np.where(mask, np.maximum(LABELS, 0), -1)
    check_model(
        make_compiled,
        x,
        y,
        loaded=f"""
assert type(model).__name__ == "CRFTagger"
assert model.tags == {TAGS!r}
tags = model.predict_tags(x)
assert tags.shape == {mask.shape!r}
assert (tags == -1).sum() == {(~mask).sum()}
""",
    )


def test_more_padding_changes_nothing():
    for make in (with_mask_zero, with_explicit_mask):
        tagger = ready(make)
        longer = np.pad(LABELS, [(0, 0), (0, 3)], constant_values=-1)
        short = tagger.evaluate(IDS, LABELS, verbose=0)
        assert tagger.evaluate(pad(IDS), longer, verbose=0) == pytest.approx(
            short, rel=1e-5
        )
        np.testing.assert_array_equal(
            tagger.predict_tags(pad(IDS))[:, :4], tagger.predict_tags(IDS)
        )


def test_nothing_of_the_crf_is_in_the_compile_config():
    tagger = ready(with_mask_zero, tags=TAGS)
    config = tagger.get_compile_config()
    assert config["loss"] is None
    assert "crf" not in json.dumps(config).lower()


def test_the_crf_learns_what_no_token_says():
    """Tags that depend on the one before, with features that say nothing."""
    keras.utils.set_random_seed(3)
    inputs = keras.Input((None, 1))
    tagger = CRFTagger(inputs, keras.layers.Dense(3)(inputs))
    tagger.compile(optimizer=keras.optimizers.Adam(0.3))
    x, y = np.zeros((4, 6, 1), "float32"), np.tile([0, 1, 2], (4, 2))
    tagger.fit(x, y, epochs=30, batch_size=4, verbose=0)
    np.testing.assert_array_equal(tagger.predict_tags(x), y)


def test_predict_gives_the_potentials():
    tagger = ready(with_two_inputs)
    x, _ = CASES[with_two_inputs]
    potentials = tagger.predict(x, batch_size=3, verbose=0)
    assert potentials.shape == (4, 4, 3)
    np.testing.assert_allclose(potentials, array(tagger(x)), atol=1e-6)


def test_half_precision_below_keeps_float32_here():
    inputs = keras.Input((None, 2))
    hidden = keras.layers.Dense(3, dtype="mixed_float16")(inputs)
    tagger = CRFTagger(inputs, hidden)
    assert keras.backend.standardize_dtype(tagger(draw(2, 4, 2)).dtype) == "float32"
