"""Capsule attention, head by head, and beside Keras' own attention."""

import keras
import numpy as np
import pytest
from capsules import check_gradients
from capsules import dynamic_routing
from capsules import em_routing
from checks import array
from checks import arrays
from checks import draw
from checks import draw_weights
from checks import needs_tensorflow
from checks import prefix_mask
from keras import ops

from keras_slu.layers.capsule_attention import CapsuleMultiHeadAttention

MASK = prefix_mask([4, 2, 1], 4)
ROUTINGS = pytest.mark.parametrize("routing", ["dynamic", "em"])


def make(query, value, routing, **kwargs):
    layer = CapsuleMultiHeadAttention(3, 4, routing, **kwargs)
    layer(query, value)
    draw_weights(layer)
    return layer


def weights_of(layer):
    """float64 arrays by the last two parts of their paths."""
    return {
        "/".join(w.path.split("/")[-2:]): np.float64(array(w)) for w in layer.weights
    }


def reference(layer, query, value, mask):
    w = weights_of(layer)
    output = []
    scores = np.zeros((len(query), layer.num_heads, query.shape[1], value.shape[1]))
    for b, t in np.ndindex(query.shape[:2]):
        heads = []
        for n in range(layer.num_heads):
            q = query[b, t] @ w["query/kernel"][:, n] + w["query/bias"][n]
            k = value[b] @ w["key/kernel"][:, n] + w["key/bias"][n]
            v = value[b] @ w["value/kernel"][:, n] + w["value/bias"][n]
            weight = np.exp(k @ q / np.sqrt(layer.key_dim)) * mask[b]
            scores[b, n, t] = weight / weight.sum()
            heads.append(scores[b, n, t] @ v)
        capsules = route(layer, np.array(heads)).ravel()
        inner = np.maximum(capsules @ w["inner/kernel"] + w["inner/bias"], 0)
        refined = inner @ w["outer/kernel"] + w["outer/bias"]
        joined = np.concatenate(heads) + refined
        kernel = w["attention_output/kernel"]
        flat = kernel.reshape(-1, kernel.shape[-1])
        output.append(joined @ flat + w["attention_output/bias"])
    return np.reshape(output, (*query.shape[:2], -1)), scores


def route(layer, heads):
    layer = layer.refinement
    (kernel,) = map(np.float64, layer.votes.get_weights())
    rows, columns = layer.pose_rows, layer.capsule_dim // layer.pose_rows
    votes = np.zeros((len(heads), layer.num_capsules, layer.capsule_dim))
    for i, j in np.ndindex(votes.shape[:2]):
        matrix = kernel[i, :, j * columns : (j + 1) * columns]
        votes[i, j] = (heads[i].reshape(rows, -1) @ matrix).ravel()
    if layer.routing == "dynamic":
        return dynamic_routing(votes, layer.iterations)
    kernel = np.float64(array(layer.activation_kernel))
    activations = 1 / (1 + np.exp(-(heads * kernel).sum(axis=1)))
    betas = layer.router.get_weights()
    return em_routing(votes, activations, *betas, range(1, layer.iterations + 1))[0]


@pytest.mark.parametrize(
    "routing, settings",
    [
        ("dynamic", {}),
        ("em", {}),
        ("dynamic", {"num_capsules": 2, "capsule_dim": 5, "iterations": 2}),
        ("em", {"value_dim": 6, "pose_rows": 3, "capsule_dim": 9, "ffn_dim": 7}),
    ],
)
def test_the_equations(routing, settings):
    """Cross-attention, and scores that do not change the output."""
    query, value = draw(3, 2, 5), draw(3, 4, 7, seed=1)
    layer = make(query, value, routing, dtype="float64", **settings)
    mask = {"attention_mask": MASK[:, None]}
    output, scores = layer(query, value, return_attention_scores=True, **mask)
    expected, expected_scores = reference(layer, query, value, MASK)
    np.testing.assert_allclose(array(output), expected, atol=1e-5)
    np.testing.assert_allclose(array(scores), expected_scores, atol=1e-6)
    np.testing.assert_allclose(array(layer(query, value, **mask)), expected, atol=1e-5)


@ROUTINGS
def test_without_the_refinement_it_is_keras_attention(routing):
    """So all masks, and all arguments of Keras' attention, work."""
    query, value, key = draw(2, 4, 8), draw(2, 4, 6, seed=1), draw(2, 4, 5, seed=2)
    settings = {"value_dim": 9, "output_shape": 7, "use_gate": True}
    layer = CapsuleMultiHeadAttention(2, 3, routing, **settings)
    plain = keras.layers.MultiHeadAttention(2, 3, **settings)
    call = {
        "key": key,
        "attention_mask": prefix_mask([3, 4], 4)[:, None],
        "use_causal_mask": True,
        "return_attention_scores": True,
    }
    plain(query, value, **call), layer(query, value, **call)
    draw_weights(layer)
    for weight in layer.refinement.ffn.outer.weights:
        weight.assign(ops.zeros_like(weight))
    for weight in plain.weights:
        tail = weight.path.split("/")[-2:]
        weight.assign(*[w for w in layer.weights if w.path.split("/")[-2:] == tail])
    for some, other in zip(
        arrays(layer(query, value, **call)),
        arrays(plain(query, value, **call)),
        strict=True,
    ):
        np.testing.assert_allclose(some, other, atol=1e-6)


@ROUTINGS
def test_the_shared_checks(check_layer, routing):
    inputs = {
        "query": draw(3, 4, 5),
        "value": draw(3, 4, 7, seed=1),
        "value_mask": MASK,
    }
    check_layer(
        lambda **kwargs: CapsuleMultiHeadAttention(
            2, 4, routing, num_capsules=3, iterations=2, **kwargs
        ),
        inputs,
    )


@ROUTINGS
@pytest.mark.parametrize("dtype", ["mixed_float16", "mixed_bfloat16"])
def test_padding_is_harmless_in_half_precision(routing, dtype):
    """Also where a row is all padding, as for a dialogue without history."""
    value = draw(3, 6, 8)
    layer = make(value, value, routing, dtype=dtype)
    mask = prefix_mask([4, 2, 0], 6)
    noisy = np.where(mask[..., None], value, 100 * draw(3, 6, 8, seed=1))
    clean, noised = (
        layer(
            value,
            hidden,
            attention_mask=mask[:, None],
            return_attention_scores=True,
        )
        for hidden in (value, noisy)
    )
    for some, other in zip(clean, noised, strict=True):
        some, other = (array(ops.cast(x, "float32")) for x in (some, other))
        assert np.isfinite(other).all()
        np.testing.assert_array_equal(some[:2], other[:2])


@needs_tensorflow
@ROUTINGS
def test_the_gradients(routing):
    query, value = draw(1, 2, 2).astype("float64"), draw(1, 3, 2, seed=1)
    layer = CapsuleMultiHeadAttention(2, 4, routing, dtype="float64")
    layer(query, value)
    draw_weights(layer)
    call = {"return_attention_scores": True}  # the way that stays in float64
    check_gradients(
        lambda: ops.sum(layer(query, value, **call)[0] ** 2),
        layer.trainable_variables,
    )


@needs_tensorflow
@ROUTINGS
def test_litert_has_its_operations(routing):
    interpreter = pytest.importorskip("ai_edge_litert.interpreter")
    import tensorflow as tf

    from keras_slu.export.litert_conversion import convert

    hidden = draw(1, 5, 8)
    layer = make(hidden, hidden, routing)

    @tf.function(input_signature=[tf.TensorSpec([1, None, 8], name="hidden")])
    def attend(hidden):
        return {"output": layer(hidden, hidden)}

    model = interpreter.Interpreter(model_content=convert(attend))
    runner = model.get_signature_runner()
    found = runner(hidden=hidden)["output"]
    np.testing.assert_allclose(found, array(layer(hidden, hidden)), atol=1e-5)


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="Received: 'static'"):
        CapsuleMultiHeadAttention(2, 4, "static")
    with pytest.raises(ValueError, match="schedule=\\(1, 2, 3\\)"):
        CapsuleMultiHeadAttention(2, 4, schedule=(1, 2, 3))
    with pytest.raises(ValueError, match="width is 6"):
        CapsuleMultiHeadAttention(2, 4, "em", value_dim=6)
    layer = CapsuleMultiHeadAttention(2, 4, attention_axes=2)
    with pytest.raises(ValueError, match="query_shape=\\(1, 2, 3, 4\\)"):
        layer(draw(1, 2, 3, 4), draw(1, 2, 3, 4))
