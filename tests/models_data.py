"""A batch for the tests of joint models: odd lengths, padding, unseen labels."""

import numpy as np

TAGS = ["O", "B-a", "I-a"]
X = {
    "token_ids": np.array(
        [[4, 8, 1, 5], [6, 3, 8, 0], [7, 0, 0, 0], [2, 2, 9, 4]], "int32"
    )
}
Y = {
    "intent": np.array([0, 1, 0, 1], "int32"),
    "slots": np.array(
        [[0, 1, 2, 0], [1, 0, 1, -1], [0, -1, -1, -1], [1, 1, 2, 2]], "int32"
    ),
}
