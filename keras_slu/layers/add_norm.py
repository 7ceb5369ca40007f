"""The residual connection around each part of a Transformer layer."""

import keras


@keras.saving.register_keras_serializable(package="keras_slu")
class AddNorm(keras.layers.Layer):
    """`LayerNorm(x + Dropout(f(x)))`, given `x` and `f(x)`.

    Args:
        dropout: float. Rate on what is added. Defaults to `0.0`.
        epsilon: float. Added to the variance. Defaults to `1e-3`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`.
        update: float tensor `(batch, time, dim)`, what is added to it.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> AddNorm()(hidden, hidden).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Vaswani et al., 2017](https://arxiv.org/abs/1706.03762), section 5.4
    """

    def __init__(self, dropout=0.0, epsilon=1e-3, **kwargs):
        super().__init__(**kwargs)
        self.dropout = dropout
        self.epsilon = epsilon
        self.drop = keras.layers.Dropout(dropout, dtype=self.dtype_policy)
        self.norm = keras.layers.LayerNormalization(
            epsilon=epsilon, dtype=self.dtype_policy
        )

    def build(self, hidden_shape, update_shape):
        self.norm.build(hidden_shape)

    def call(self, hidden, update, training=None):
        return self.norm(hidden + self.drop(update, training=training))

    def get_config(self):
        config = super().get_config()
        config.update({"dropout": self.dropout, "epsilon": self.epsilon})
        return config
