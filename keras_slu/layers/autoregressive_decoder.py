"""A tagger whose every label depends on the one before it."""

import keras
from keras import ops

from keras_slu.layers.masks import full_mask
from keras_slu.layers.recursion import recurse
from keras_slu.layers.tokenwise import tokenwise


@keras.saving.register_keras_serializable(package="keras_slu")
class AutoregressiveDecoder(keras.layers.Layer):
    """An LSTM over the tokens that is fed the label of the token before.

    At each token, with `e` the embedding of the label before it (a learned
    start embedding at the first):

        h_t, c_t = LSTM([x_t, e_(t-1)], h_(t-1), c_(t-1))
        y_t      = W h_t + b

    The label before is the gold one where the caller gives it (teacher
    forcing), else the most probable of the layer's own `y_(t-1)`, through
    which no gradient flows.

    Args:
        num_classes: int. Number of labels.
        units: int. Width of the LSTM.
        embedding_dim: int. Width of the label embedding.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        features: float tensor `(batch, time, features)`. Padding on the right
            changes nothing before it.
        previous: int tensor `(batch, time)`, the gold label of the token
            before each, -1 where the layer's own is to be taken and at the
            first token; or `None`, all -1.

    Returns:
        float tensor `(batch, time, num_classes)`, logits.

    Example:

    >>> import numpy as np
    >>> decoder = AutoregressiveDecoder(5, units=16, embedding_dim=4)
    >>> decoder(np.ones((2, 3, 8), "float32")).shape
    TensorShape([2, 3, 5])

    Reference:
        - [Qin et al., 2019](https://arxiv.org/abs/1909.02188), sections 3.2, 3.3
    """

    def __init__(self, num_classes, units, embedding_dim, **kwargs):
        super().__init__(**kwargs)
        self.num_classes = num_classes
        self.units = units
        self.embedding_dim = embedding_dim
        settings = {"dtype": self.dtype_policy}
        # One product makes all four gates' share of the features.
        self.projection = keras.layers.Dense(
            4 * units,
            bias_initializer=self._first_bias,
            name="projection",
            **settings,
        )
        self.logits = keras.layers.Dense(num_classes, name="logits", **settings)

    def _first_bias(self, shape, dtype):
        """Gates are input, forget, candidate, output; forget starts open."""
        forget = ops.ones((self.units,), dtype)
        return ops.pad(forget, [[self.units, 2 * self.units]])

    def build(self, features_shape):
        self.projection.build(features_shape)
        self.logits.build((None, self.units))
        # The last row is the start's.
        self.embeddings = self.add_weight(
            shape=(self.num_classes + 1, self.embedding_dim),
            initializer="uniform",
            name="embeddings",
        )
        self.recurrent_kernel = self.add_weight(
            shape=(self.embedding_dim + self.units, 4 * self.units),
            initializer="orthogonal",
            name="recurrent_kernel",
        )

    def call(self, features, previous=None):
        batch, time, _ = ops.shape(features)
        projected = tokenwise(self.projection, features)
        if previous is None:
            previous = ops.full((batch, time), -1, "int32")
        forced = ops.cast(previous >= 0, self.compute_dtype)[..., None]
        gold = ops.take(self.embeddings, ops.maximum(previous, 0), axis=0)
        inputs = ops.concatenate(
            [projected, ops.cast(gold, self.compute_dtype) * forced, forced], axis=-1
        )
        start = ops.cast(self.embeddings[-1:], self.compute_dtype)
        state = ops.concatenate(
            [
                ops.zeros((batch, 2 * self.units), self.compute_dtype),
                ops.broadcast_to(start, (batch, self.embedding_dim)),
            ],
            axis=-1,
        )
        (states,) = recurse([self._step], inputs, full_mask(features), [state])
        return tokenwise(self.logits, states[:, 1:, : self.units])

    def _step(self, inputs, state):
        gates = 4 * self.units
        projected, gold, forced = ops.split(
            inputs, [gates, gates + self.embedding_dim], axis=-1
        )
        hidden, cell, own = ops.split(state, [self.units, 2 * self.units], axis=-1)
        before = gold + (1.0 - forced) * own
        kernel = ops.cast(self.recurrent_kernel, projected.dtype)
        total = projected + ops.matmul(
            ops.concatenate([before, hidden], axis=-1), kernel
        )
        i, f, g, o = ops.split(total, 4, axis=-1)
        cell = ops.sigmoid(f) * cell + ops.sigmoid(i) * ops.tanh(g)
        hidden = ops.sigmoid(o) * ops.tanh(cell)
        _, best = ops.top_k(self.logits(hidden), 1)
        own = ops.cast(ops.take(self.embeddings, best[..., 0], axis=0), hidden.dtype)
        return ops.concatenate([hidden, cell, own], axis=-1)

    def compute_output_spec(self, features, previous=None):
        shape = (*features.shape[:2], self.num_classes)
        return keras.KerasTensor(shape, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "num_classes": self.num_classes,
                "units": self.units,
                "embedding_dim": self.embedding_dim,
            }
        )
        return config
