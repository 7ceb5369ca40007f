"""Votes, pair by pair."""

import numpy as np
import pytest
from capsules import check_gradients
from checks import array
from checks import draw
from checks import needs_tensorflow
from keras import ops

from keras_slu.layers.capsule_votes import CapsuleVotes


@pytest.mark.parametrize(
    "pose_rows, features, width", [(1, 4, 6), (2, 6, 4), (3, 3, 9)]
)
def test_each_pair_has_a_matrix(pose_rows, features, width):
    capsules = draw(5, 3, features)
    layer = CapsuleVotes(2, width, pose_rows)
    votes = array(layer(capsules))
    (kernel,) = layer.get_weights()
    columns = width // pose_rows
    for row, i, j in np.ndindex(5, 3, 2):
        pose = capsules[row, i].reshape(pose_rows, -1)
        matrix = kernel[i, :, j * columns : (j + 1) * columns]
        expected = (pose @ matrix).ravel()
        np.testing.assert_allclose(votes[row, i, j], expected, atol=1e-5)


@needs_tensorflow
@pytest.mark.parametrize("pose_rows", [1, 2])
def test_the_gradients(pose_rows):
    capsules = draw(3, 2, 4).astype("float64")
    layer = CapsuleVotes(2, 4, pose_rows, dtype="float64")
    layer(capsules)
    upstream = draw(3, 2, 2, 4, seed=1)
    check_gradients(
        lambda: ops.sum(layer(capsules) * upstream), layer.trainable_variables
    )


def test_the_votes_have_the_spread_of_the_capsules():
    for pose_rows in (1, 8):
        votes = array(CapsuleVotes(8, 64, pose_rows)(draw(50, 8, 64)))
        assert 0.8 < votes.std() < 1.2


def test_rows_that_do_not_divide_the_widths_are_refused():
    for features, width in [(5, 4), (4, 5)]:
        with pytest.raises(ValueError, match="pose_rows=2, input width"):
            CapsuleVotes(2, width, pose_rows=2)(draw(3, 2, features))
