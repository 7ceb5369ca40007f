"""The pictures: one cell a label or a word, and no name that breaks them."""

import numpy as np
import pytest

from keras_slu.training.pictures import MAX_LABELS
from keras_slu.training.pictures import attention_picture
from keras_slu.training.pictures import confusion_picture

pytest.importorskip("matplotlib")


def test_a_picture_grows_with_its_labels_up_to_a_bound():
    sizes = []
    for number in (2, MAX_LABELS, MAX_LABELS + 30):
        names = [f"label{i}" for i in range(number)]
        pixels = confusion_picture(names, names)
        assert pixels.dtype == np.uint8 and pixels.shape[2] == 4
        sizes.append(pixels.shape[0])
    assert sizes[0] < sizes[1] == sizes[2]


def test_right_and_wrong_predictions_look_different():
    gold = ["a"] * 4 + ["b"] * 4
    right, wrong = confusion_picture(gold, gold), confusion_picture(gold, gold[::-1])
    assert right.shape == wrong.shape
    assert (right != wrong).any()


@pytest.mark.parametrize("word", ["$x", "$", "a$b$c", "", "听", "שלום", "\\frac", "{}"])
def test_any_word_can_be_drawn(word):
    maps = [(np.full((2, 2), 0.5), np.eye(2))] * 2
    one_layer = attention_picture([word, "b"], maps[:1])
    two_layers = attention_picture([word, "b"], maps)
    assert two_layers.shape[0] == 2 * one_layer.shape[0]
    confusion_picture([word, "b"], ["b", word])
