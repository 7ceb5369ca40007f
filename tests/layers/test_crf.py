"""The CRF against sums and maxima over all tag sequences."""

from itertools import product

import keras
import numpy as np
import pytest
from keras import ops

from keras_slu.layers.crf import CRF

NAMES = ["O", "B-a", "I-a", "B-b"]

needs_gradients = pytest.mark.skipif(
    keras.backend.backend() != "tensorflow", reason="takes gradients with TensorFlow"
)
needs_float64 = pytest.mark.skipif(
    keras.backend.backend() == "jax", reason="JAX has no float64 unless told to"
)


def make(num_tags, seed=0, scale=1.0, **kwargs):
    """A CRF with random weights."""
    crf = CRF(num_tags, **kwargs)
    crf.build((None, None, num_tags))
    rng = np.random.default_rng(seed)
    crf.set_weights([rng.normal(size=w.shape) * scale for w in crf.weights])
    return crf


def draw(shape, seed=0, scale=1.0):
    """Random potentials, and a mask with a different length in each row."""
    batch, time, _ = shape
    rng = np.random.default_rng(seed + 100)
    potentials = rng.normal(size=shape) * scale
    lengths = np.maximum(time - np.arange(batch), 1)
    return potentials, np.arange(time)[None] < lengths[:, None]


def is_legal(path, names):
    """BIO by its definition: `I-x` needs `B-x` or `I-x` before it."""
    previous = "O"
    for tag in path:
        name = names[tag]
        if name[0] == "I" and (previous[0] == "O" or previous[2:] != name[2:]):
            return False
        previous = name
    return True


def enumerate_paths(crf, potentials, names=None):
    """All paths of one utterance `(time, K)` and their scores, in float64."""
    weights = {w.name: np.float64(ops.convert_to_numpy(w)) for w in crf.weights}
    potentials = np.float64(potentials)
    paths, scores = [], []
    for path in product(range(crf.num_tags), repeat=len(potentials)):
        if names and not is_legal(path, names):
            continue
        score = weights["start"][path[0]] + weights["end"][path[-1]]
        score += sum(p[tag] for p, tag in zip(potentials, path, strict=True))
        score += sum(
            weights["transitions"][a, b]
            for a, b in zip(path[:-1], path[1:], strict=True)
        )
        paths.append(path)
        scores.append(score)
    return np.array(paths), np.array(scores)


def log_sum_exp(scores):
    return np.max(scores) + np.log(np.sum(np.exp(scores - np.max(scores))))


def utterances(crf, potentials, mask, names=None):
    """Row, length, paths, scores and probabilities of each utterance."""
    for row, length in enumerate(mask.sum(axis=1)):
        paths, scores = enumerate_paths(crf, potentials[row, :length], names)
        yield row, length, paths, scores, np.exp(scores - log_sum_exp(scores))


def array(tensor):
    return ops.convert_to_numpy(tensor)


# Potentials up to 50 in size, beside weights of the usual size.
cases = pytest.mark.parametrize(
    "shape, seed, scale",
    [
        ((3, 5, 4), 0, 1.0),
        ((4, 4, 3), 1, 1.0),
        ((2, 5, 2), 2, 1.0),
        ((2, 3, 1), 3, 1.0),
        ((3, 1, 4), 4, 1.0),
        ((3, 5, 4), 5, 25.0),
    ],
)


@cases
@pytest.mark.parametrize(
    "dtype, tolerance",
    [("float32", 1e-5), pytest.param("float64", 1e-10, marks=needs_float64)],
)
def test_sums_over_all_paths(shape, seed, scale, dtype, tolerance):
    crf = make(shape[-1], seed, dtype=dtype)
    potentials, mask = draw(shape, seed, scale)
    tags = np.random.default_rng(seed).integers(shape[-1], size=shape[:2])
    partition = array(crf.log_partition(potentials, mask))
    loss = array(crf.negative_log_likelihood(potentials, tags, mask))
    marginals = array(crf.marginals(potentials, mask))
    assert partition.dtype == loss.dtype == marginals.dtype == dtype
    for row, length, paths, scores, probabilities in utterances(crf, potentials, mask):
        expected = log_sum_exp(scores)
        gold = scores[(paths == tags[row, :length]).all(axis=1)][0]
        size = 1 + abs(expected)
        assert abs(partition[row] - expected) < tolerance * size
        assert abs(loss[row] - (expected - gold)) < tolerance * size
        for time in range(length):
            exact = np.bincount(paths[:, time], probabilities, crf.num_tags)
            np.testing.assert_allclose(marginals[row, time], exact, atol=20 * tolerance)
        assert not marginals[row, length:].any()


@cases
@pytest.mark.parametrize("named", [False, True])
def test_decode_finds_a_best_path(shape, seed, scale, named):
    names = NAMES[: shape[-1]] if named else None
    crf = make(shape[-1], seed, tags=names)
    potentials, mask = draw(shape, seed, scale)
    decoded = array(crf.decode(potentials, mask))
    assert decoded.dtype == "int32"
    for row, length, paths, scores, _ in utterances(crf, potentials, mask, names):
        mine = (paths == decoded[row, :length]).all(axis=1)
        assert mine.any(), "not a legal path"
        assert scores[mine][0] > scores.max() - 1e-4  # ties differ by rounding
        assert (decoded[row, length:] == -1).all()


@cases
def test_decode_with_confidence_is_both_in_one(shape, seed, scale):
    crf = make(shape[-1], seed, tags=NAMES[: shape[-1]])
    potentials, mask = draw(shape, seed, scale)
    tags, confidence = crf.decode_with_confidence(potentials, mask)
    np.testing.assert_array_equal(array(tags), array(crf.decode(potentials, mask)))
    expected = array(crf.span_confidence(potentials, tags, mask))
    np.testing.assert_allclose(array(confidence), expected, atol=1e-6)


@cases
def test_forbidden_paths_have_no_mass(shape, seed, scale):
    names = NAMES[: shape[-1]]
    crf = make(shape[-1], seed, tags=names)
    potentials, mask = draw(shape, seed, scale)
    partition = array(crf.log_partition(potentials, mask))
    marginals = array(crf.marginals(potentials, mask))
    rows = utterances(crf, potentials, mask, names)
    for row, length, paths, scores, probabilities in rows:
        expected = log_sum_exp(scores)
        assert abs(partition[row] - expected) < 1e-5 * (1 + abs(expected))
        for time in range(length):
            exact = np.bincount(paths[:, time], probabilities, crf.num_tags)
            np.testing.assert_allclose(marginals[row, time], exact, atol=2e-4)


def test_potentials_that_favour_only_forbidden_tags():
    # The one legal tag of the first token is e^-100 times less likely, which
    # float32 cannot hold beside the others.
    crf = make(4, tags=NAMES, scale=0.0)
    potentials = np.full((1, 3, 4), -50.0)
    potentials[0, :, 2] = 50.0  # I-a
    paths, scores = enumerate_paths(crf, potentials[0], NAMES)
    probabilities = np.exp(scores - log_sum_exp(scores))
    best = paths[scores.argmax()]  # B-a I-a I-a
    partition = float(array(crf.log_partition(potentials))[0])
    assert partition == pytest.approx(log_sum_exp(scores), rel=1e-4)
    loss = float(array(crf.negative_log_likelihood(potentials, best[None]))[0])
    assert loss == pytest.approx(-np.log(probabilities.max()), abs=1e-3)
    np.testing.assert_array_equal(array(crf.decode(potentials))[0], best)
    marginals = array(crf.marginals(potentials))[0]
    assert marginals[np.arange(3), best] == pytest.approx(1.0, abs=1e-4)
    confidence = array(crf.span_confidence(potentials, best[None]))[0]
    assert confidence == pytest.approx(1.0, abs=1e-4)


def spans_of(path, names):
    """`(first, last)` of the span or lone `O` that each token belongs to."""
    spans = []
    for time, tag in enumerate(path):
        if names[tag][0] == "I":
            spans[-1][1] = time
        else:
            spans.append([time, time])
    return [span for span in spans for _ in range(span[0], span[1] + 1)]


@cases
def test_span_confidence_is_of_exactly_that_span(shape, seed, scale):
    names = NAMES[: shape[-1]]
    crf = make(shape[-1], seed, tags=names)
    potentials, mask = draw(shape, seed, scale)
    rng = np.random.default_rng(seed)
    # A random legal path each, not only the best: long spans must occur.
    legal = [path for path in product(range(shape[-1]), repeat=shape[1])]
    legal = [path for path in legal if is_legal(path, names)]
    legal = sorted(legal, key=lambda path: -sum(tag == 2 for tag in path))[:60]
    tags = np.array([legal[rng.integers(len(legal))] for _ in range(shape[0])])
    confidence = array(crf.span_confidence(potentials, tags, mask))
    rows = utterances(crf, potentials, mask, names)
    for row, length, paths, _, probabilities in rows:
        chosen = tags[row, :length]
        for time, (first, last) in enumerate(spans_of(chosen, names)):
            same = (paths[:, first : last + 1] == chosen[first : last + 1]).all(axis=1)
            if last + 1 < length and names[chosen[last]] != "O":
                inside = "I-" + names[chosen[last]][2:]
                after = paths[:, last + 1]
                same &= np.array([names[tag] != inside for tag in after])
            expected = probabilities[same].sum()
            assert confidence[row, time] == pytest.approx(expected, abs=2e-4)
        assert not confidence[row, length:].any()


def test_span_confidence_without_names_is_the_marginal():
    crf = make(3)
    potentials, mask = draw((2, 4, 3))
    tags = array(crf.decode(potentials, mask))
    confidence = array(crf.span_confidence(potentials, tags, mask))
    marginals = array(crf.marginals(potentials, mask))
    picked = np.take_along_axis(marginals, np.maximum(tags, 0)[..., None], axis=2)
    np.testing.assert_allclose(confidence, picked[..., 0] * mask, atol=1e-6)


def test_unknown_tags_are_summed_over():
    crf = make(4, tags=NAMES)
    potentials, mask = draw((4, 4, 4))
    tags = np.array([[1, -1, -1, 0], [-1, 2, 0, -1], [-1, -1, 0, 0], [0, 0, 0, 0]])
    loss = array(crf.negative_log_likelihood(potentials, tags, mask))
    rows = utterances(crf, potentials, mask, NAMES)
    for row, length, paths, _, probabilities in rows:
        gold = tags[row, :length]
        agree = ((paths == gold) | (gold == -1)).all(axis=1)
        expected = -np.log(probabilities[agree].sum())
        assert loss[row] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("method", ["log_partition", "decode", "marginals"])
def test_more_padding_changes_nothing(method):
    crf = make(4, tags=NAMES)
    potentials, mask = draw((3, 5, 4))
    # Padding holds whatever a layer before left there.
    padded = np.concatenate([potentials, np.full((3, 4, 4), 1e6)], axis=1)
    padded_mask = np.pad(mask, [(0, 0), (0, 4)])
    short = array(getattr(crf, method)(potentials, mask))
    long = array(getattr(crf, method)(padded, padded_mask))
    np.testing.assert_array_equal(short, long[:, :5] if long.ndim > 1 else long)


def test_more_padding_changes_no_loss_and_no_confidence():
    crf = make(4, tags=NAMES)
    potentials, mask = draw((3, 5, 4))
    padded = np.concatenate([potentials, np.full((3, 4, 4), 1e6)], axis=1)
    padded_mask = np.pad(mask, [(0, 0), (0, 4)])
    tags = array(crf.decode(potentials, mask))
    padded_tags = np.pad(tags, [(0, 0), (0, 4)], constant_values=-1)
    for method in (crf.negative_log_likelihood, crf.span_confidence):
        short = array(method(potentials, tags, mask))
        long = array(method(padded, padded_tags, padded_mask))
        np.testing.assert_array_equal(short, long[:, :5] if long.ndim > 1 else long)


def test_no_mask_means_all_real():
    crf = make(3)
    potentials, _ = draw((2, 4, 3))
    without = array(crf.log_partition(potentials))
    with_mask = array(crf.log_partition(potentials, np.ones((2, 4), bool)))
    np.testing.assert_array_equal(without, with_mask)


@pytest.mark.parametrize("row", [[0, 1, 1], [1, 0, 1], [0, 0, 0]])
def test_a_mask_that_is_no_prefix_is_refused(row):
    crf = make(2)
    potentials, _ = draw((2, 3, 2))
    mask = np.array([[1, 1, 0], row], bool)
    for refused in (
        lambda: crf(potentials, padding_mask=mask),
        lambda: crf.log_partition(potentials, mask),
        lambda: crf.decode(potentials, mask),
        lambda: crf.negative_log_likelihood(potentials, np.zeros((2, 3)), mask),
    ):
        with pytest.raises(ValueError, match="row 1"):
            refused()


def test_call_hands_the_potentials_on():
    crf = make(3)
    potentials, mask = draw((2, 4, 3))
    output = crf(potentials, padding_mask=mask)
    np.testing.assert_array_equal(array(output), potentials.astype("float32"))


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="num_tags=3 and 2 names"):
        CRF(3, tags=["O", "B-a"])
    with pytest.raises(ValueError, match="num_tags=3"):
        CRF(3).build((None, None, 4))


@needs_gradients
@pytest.mark.parametrize(
    "names, tags", [(None, [[1, 2, 0, 3], [1, 0, 3, 3]]), (NAMES, [[-1, 2, -1, 0]] * 2)]
)
def test_gradients_are_those_of_finite_differences(names, tags):
    import tensorflow as tf

    crf = make(4, tags=names, dtype="float64")
    potentials, mask = draw((2, 4, 4))
    given = tf.Variable(potentials)
    variables = [given] + [w.value for w in crf.trainable_weights]

    @tf.function
    def loss_and_gradients():
        with tf.GradientTape() as tape:
            losses = crf.negative_log_likelihood(given, np.array(tags), mask)
            loss = tf.reduce_sum(losses * [1.0, 2.0])
        return loss, tape.gradient(loss, variables)

    _, gradients = loss_and_gradients()
    step = 1e-5
    for variable, gradient in zip(variables, gradients, strict=True):
        kept = variable.numpy()
        numeric = np.zeros_like(kept)
        for place in np.ndindex(kept.shape):
            for sign in (1, -1):
                moved = kept.copy()
                moved[place] += sign * step
                variable.assign(moved)
                numeric[place] += sign * float(loss_and_gradients()[0]) / (2 * step)
        variable.assign(kept)
        np.testing.assert_allclose(gradient.numpy(), numeric, atol=1e-8)


@needs_gradients
def test_gradients_at_large_potentials_are_finite_and_marginals():
    import tensorflow as tf

    crf = make(4, tags=NAMES)
    potentials, mask = draw((3, 5, 4), scale=50.0)
    variable = tf.Variable(potentials.astype("float32"))
    with tf.GradientTape() as tape:
        value = tf.reduce_sum(crf.log_partition(variable, mask))
    gradient = tape.gradient(value, variable).numpy()
    # The gradient of the log-partition is the marginals.
    marginals = array(crf.marginals(variable, mask))
    np.testing.assert_allclose(gradient, marginals, atol=1e-3)


@needs_float64
def test_half_precision_policy_keeps_float32_numbers():
    half = make(20, scale=1.0, dtype="mixed_float16")
    double = make(20, scale=1.0, dtype="float64")
    potentials, mask = draw((3, 50, 20), scale=3.0)
    potentials = potentials.astype("float16")
    tags = np.random.default_rng(1).integers(20, size=(3, 50))
    for weight in half.weights:
        assert weight.dtype == "float32"
    assert keras.backend.standardize_dtype(half(potentials).dtype) == "float32"
    loss = array(half.negative_log_likelihood(potentials, tags, mask))
    exact = array(double.negative_log_likelihood(potentials, tags, mask))
    assert loss.dtype == "float32"
    np.testing.assert_allclose(loss, exact, atol=1e-3)
    np.testing.assert_allclose(
        array(half.marginals(potentials, mask)),
        array(double.marginals(potentials, mask)),
        atol=1e-4,
    )


def test_saved_and_loaded_it_is_the_same(tmp_path):
    inputs = keras.Input((None, 4))
    crf = make(4, tags=NAMES)
    keras.Model(inputs, crf(inputs)).save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras").layers[-1]
    assert isinstance(loaded, CRF)
    assert loaded.tags == NAMES
    potentials, mask = draw((3, 5, 4))
    for method in ("log_partition", "decode", "marginals"):
        np.testing.assert_array_equal(
            array(getattr(loaded, method)(potentials, mask)),
            array(getattr(crf, method)(potentials, mask)),
        )


@needs_gradients
def test_a_traced_graph_with_dynamic_shapes_gives_the_same_numbers():
    import tensorflow as tf

    crf = make(4, tags=NAMES)
    potentials, mask = draw((3, 5, 4))
    potentials = potentials.astype("float32")
    tags = array(crf.decode(potentials, mask))

    @tf.function(
        input_signature=[
            tf.TensorSpec((None, None, 4)),
            tf.TensorSpec((None, None), tf.int32),
            tf.TensorSpec((None, None), tf.bool),
        ]
    )
    def traced(potentials, tags, mask):
        return (
            crf.negative_log_likelihood(potentials, tags, mask),
            crf.decode(potentials, mask),
            crf.span_confidence(potentials, tags, mask),
        )

    loss, decoded, confidence = traced(potentials, tags, mask)
    expected = crf.negative_log_likelihood(potentials, tags, mask)
    np.testing.assert_allclose(loss, expected, atol=1e-5)
    np.testing.assert_array_equal(decoded, tags)
    np.testing.assert_allclose(
        confidence, crf.span_confidence(potentials, tags, mask), atol=1e-6
    )
    # A bad mask cannot raise here; its loss says so instead of a wrong number.
    mask = np.array(mask)
    mask[1] = [False, True, True, True, True]
    loss = traced(potentials, tags, mask)[0].numpy()
    assert np.isnan(loss).tolist() == [False, True, False]
