"""What each input capsule thinks that each output capsule should be."""

import keras
from keras import ops

from keras_slu.layers.routing_axes import to_back


@keras.saving.register_keras_serializable(package="keras_slu")
class CapsuleVotes(keras.layers.Layer):
    """Votes `M_i W_ij` of input capsules `i` for output capsules `j`.

    A capsule of width `d` is read, row by row, as a pose matrix `M_i` of
    `pose_rows` rows. One row makes it a vector, and the vote a linear map of
    the whole capsule, as dynamic routing wants it. More rows share one smaller
    `W_ij`, as in matrix capsules.

    Args:
        num_capsules: int. Output capsules.
        width: int. Width of a vote, a multiple of `pose_rows`.
        pose_rows: int. Rows of a pose matrix. Defaults to `1`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        capsules: float tensor `(rows, inputs, features)`, `features` being a
            multiple of `pose_rows`. Rows do not mix.

    Returns:
        float tensor `(rows, inputs, num_capsules, width)`.

    Raises:
        ValueError: if `pose_rows` does not divide both widths.

    Example:

    >>> import numpy as np
    >>> CapsuleVotes(4, width=6, pose_rows=2)(np.ones((3, 8, 10), "float32")).shape
    TensorShape([3, 8, 4, 6])

    Reference:
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188), section 3
        - [Hinton et al., 2018](https://openreview.net/forum?id=HJWLfGWRb)
    """

    def __init__(self, num_capsules, width, pose_rows=1, **kwargs):
        super().__init__(**kwargs)
        self.num_capsules = num_capsules
        self.width = width
        self.pose_rows = pose_rows

    def build(self, capsules_shape):
        inputs, features = capsules_shape[1:]
        if features % self.pose_rows or self.width % self.pose_rows:
            raise ValueError(
                "`pose_rows` must divide the widths of the input and the output "
                f"capsules. Received: pose_rows={self.pose_rows}, input width "
                f"{features}, output width {self.width}"
            )
        rows, columns = features // self.pose_rows, self.width // self.pose_rows
        # Glorot's, for the matrix of one pair; Keras would take all for one.
        limit = (6 / (rows + columns)) ** 0.5
        self.kernel = self.add_weight(
            shape=(inputs, rows, self.num_capsules * columns),
            initializer=keras.initializers.RandomUniform(-limit, limit),
            name="kernel",
        )

    def call(self, capsules):
        inputs, features = capsules.shape[1:]
        rows, columns = self.pose_rows, self.width // self.pose_rows
        # Capsules stay last, up to the end: routing wants its votes so, see
        # `routing_axes`, and then what is done here at the end is undone there.
        poses = ops.reshape(to_back(capsules, 1), (inputs, rows, features // rows, -1))
        poses = ops.transpose(poses, (0, 2, 1, 3))
        poses = ops.reshape(poses, (inputs, features // rows, -1))
        votes = ops.matmul(ops.transpose(self.kernel, (0, 2, 1)), poses)
        if rows > 1:  # the pose's row goes before its column
            votes = ops.reshape(votes, (inputs, self.num_capsules, columns, rows, -1))
            votes = ops.transpose(votes, (0, 1, 3, 2, 4))
        votes = ops.reshape(votes, (inputs, self.num_capsules, self.width, -1))
        return to_back(votes, 3)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "num_capsules": self.num_capsules,
                "width": self.width,
                "pose_rows": self.pose_rows,
            }
        )
        return config
