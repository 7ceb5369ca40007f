"""The wiring of the decoder; its attention has a test of its own."""

import numpy as np
import pytest
import transformer
from checks import array
from checks import draw
from checks import draw_weights
from checks import gradients
from checks import needs_tensorflow
from checks import prefix_mask
from keras import ops

from keras_slu.layers.slot_label_generator import SlotLabelGenerator
from keras_slu.layers.slot_label_generator import consistency_losses

MASK = prefix_mask([5, 3, 1], 5)
INPUTS = {
    "previous": np.array(
        [[-1, 0, 1, -1, 3], [-1, 2, 2, 0, 0], [-1, 0, 0, 0, 0]], "int32"
    ),
    "memory": draw(3, 5, 6),
    "padding_mask": MASK,
}


def make(**settings):
    layer = SlotLabelGenerator(4, 16, num_heads=4, inner_dim=12, **settings)
    layer(**INPUTS)
    draw_weights(layer)
    return layer


@pytest.mark.parametrize("num_layers", [1, 2])
def test_the_wiring(num_layers):
    generator = make(num_layers=num_layers)
    # -1 finds the last row of the table in NumPy too.
    hidden = array(generator.embedding.embeddings)[INPUTS["previous"]]
    assert len(generator.sublayers) == num_layers
    for layer in generator.sublayers:
        attended = array(layer.self_attention(hidden, causal=True))
        hidden = transformer.add_norm(layer.self_norm, hidden, attended)
        attended = array(
            layer.cross_attention(hidden, INPUTS["memory"], padding_mask=MASK)
        )
        hidden = transformer.add_norm(layer.cross_norm, hidden, attended)
        forward = transformer.feed_forward(layer.feed_forward, hidden)
        hidden = transformer.add_norm(layer.output_norm, hidden, forward)
    kernel, bias = map(array, generator.logits.weights)
    expected = hidden @ kernel + bias
    np.testing.assert_allclose(array(generator(**INPUTS)), expected, atol=1e-4)


def test_no_label_sees_a_later_one():
    generator = make(num_layers=2)
    usual = array(generator(**INPUTS))
    for place in range(5):
        previous = INPUTS["previous"].copy()
        previous[:, place] = (previous[:, place] + 2) % 4
        changed = np.abs(array(generator(**{**INPUTS, "previous": previous})) - usual)
        assert changed[:, :place].max(initial=0.0) == 0.0
        assert changed[:, place].min() > 1e-4


def test_every_label_sees_all_of_the_memory():
    generator = make()
    usual = array(generator(**INPUTS))
    memory = INPUTS["memory"].copy()
    memory[0, 4] += 1.0
    changed = np.abs(array(generator(**{**INPUTS, "memory": memory})) - usual)
    assert changed[0].max(axis=-1).min() > 1e-4
    assert changed[1:].max() == 0.0


def test_dropout_acts_in_training_only():
    generator = make(dropout=0.5)
    usual = array(generator(**INPUTS))
    np.testing.assert_array_equal(array(generator(**INPUTS, training=False)), usual)
    assert np.abs(array(generator(**INPUTS, training=True)) - usual).max() > 0.01


def test_the_shared_checks(check_layer):
    check_layer(
        lambda **kwargs: SlotLabelGenerator(
            4, 16, num_layers=2, num_heads=4, max_distance=2, **kwargs
        ),
        INPUTS,
    )


def test_no_layer_is_refused():
    with pytest.raises(ValueError, match="Received: 0"):
        SlotLabelGenerator(4, 16, num_layers=0)


def consistency_reference(generated, slots, lengths):
    losses = np.zeros(len(lengths))
    for b, length in enumerate(lengths):
        for one, other in zip(generated[b, :length], slots[b, :length], strict=True):
            p, q = (np.exp(x) / np.exp(x).sum() for x in np.float64([one, other]))
            losses[b] -= p @ np.log(q)
    return losses


def test_the_consistency_loss():
    generated, slots = draw(3, 5, 4), draw(3, 5, 4, seed=1)
    found = consistency_losses(generated, slots, MASK)
    expected = consistency_reference(generated, slots, [5, 3, 1])
    np.testing.assert_allclose(array(found), expected, rtol=1e-5)
    expected = consistency_reference(generated, slots, [5, 5, 5])
    found = consistency_losses(generated, slots)
    np.testing.assert_allclose(array(found), expected, rtol=1e-5)


def test_the_consistency_loss_is_in_float32_at_least():
    far = np.full((1, 300, 4), [0.0, 300.0, 0.0, 0.0], "float16")
    near = np.zeros((1, 300, 4), "float16")
    found = array(consistency_losses(near, far))
    assert found.dtype == "float32"
    np.testing.assert_allclose(found, 300 * 225, rtol=1e-5)  # no float16 holds it
    assert array(consistency_losses(np.float64(near), far)).dtype == "float64"


@needs_tensorflow
def test_the_consistency_loss_trains_both_sides_and_not_the_padding():
    import keras

    sides = [keras.Variable(draw(3, 5, 4)), keras.Variable(draw(3, 5, 4, seed=1))]
    found = gradients(
        lambda: ops.sum(
            consistency_losses(*[ops.convert_to_tensor(s) for s in sides], MASK)
        ),
        sides,
    )
    for gradient in found:
        assert np.abs(gradient[MASK]).min() > 0.0
        assert not gradient[~MASK].any()
