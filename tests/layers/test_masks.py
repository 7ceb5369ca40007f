import keras
import numpy as np
import pytest
from checks import array
from checks import draw
from checks import needs_tensorflow
from keras import ops

from keras_slu.layers.masks import check_prefix_mask
from keras_slu.layers.masks import full_mask
from keras_slu.layers.masks import softmax_bias

GOOD = [[1, 0, 0], [1, 1, 1], [1, 1, 0]]
BAD = [[0, 1, 1], [1, 0, 1], [0, 0, 0]]


def test_a_prefix_is_let_through():
    assert check_prefix_mask(None) is None
    assert check_prefix_mask(np.array(GOOD, bool)) is None
    assert check_prefix_mask(ops.convert_to_tensor(GOOD, dtype="bool")) is None
    assert check_prefix_mask(np.array([[True]])) is None


@pytest.mark.parametrize("row", BAD)
def test_the_first_row_at_fault_is_named(row):
    mask = np.array([[1, 1, 0], row, row], bool)
    shown = ", ".join(map(str, row))
    with pytest.raises(ValueError, match=rf"row 1 is \[{shown}\]"):
        check_prefix_mask(mask)


@needs_tensorflow
def test_a_traced_mask_gives_a_verdict_a_row():
    import tensorflow as tf

    signature = [tf.TensorSpec((None, None), tf.bool)]
    traced = tf.function(check_prefix_mask, input_signature=signature)
    valid = traced(np.array(GOOD + BAD, bool)).numpy()
    assert valid.tolist() == [True] * 3 + [False] * 3
    assert traced(np.array([[True], [False]])).numpy().tolist() == [True, False]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_the_softmax_bias_leaves_padding_nothing(dtype):
    mask = np.array(GOOD, bool)
    bias = softmax_bias(mask, dtype)
    assert keras.backend.standardize_dtype(bias.dtype) == dtype
    # Scores of any sane size.
    scores = ops.cast(50 * draw(3, 3), dtype) + bias
    assert np.isfinite(array(ops.cast(scores, "float32"))).all()
    shares = array(ops.cast(ops.softmax(scores), "float32"))
    assert not shares[~mask].any()
    assert not array(ops.cast(bias, "float32"))[mask].any()


def test_the_full_mask():
    mask = array(full_mask(draw(2, 3, 4)))
    assert mask.shape == (2, 3)
    assert mask.dtype == bool
    assert mask.all()
