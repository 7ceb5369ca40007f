"""Label attention (Cui and Zhang 2019)."""

import keras
from keras import ops

from keras_slu.layers.softmax import softmax
from keras_slu.layers.tokenwise import from_rows


@keras.saving.register_keras_serializable(package="keras_slu")
class LabelAttention(keras.layers.Layer):
    """Describes each token by the labels that it resembles.

    `A = softmax(H W^T)`, `H' = A W (+ H)`, where `W` holds one vector a label.
    The layer has no weights: the label vectors are those of the output layer
    that will predict the labels, and are given at each call.

    Args:
        residual: bool. Whether to add `H`. Without it `H'` has at most as
            many dimensions as there are labels. Defaults to `True`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`. Padding needs no mask, since
            tokens do not mix.
        labels: float tensor `(labels, dim)`, the label vectors.
        return_attention_scores: bool. Whether to return `A` too.

    Returns:
        float tensor `(batch, time, dim)`, and with `return_attention_scores`
        also `A`, `(batch, time, labels)`.

    Example:

    >>> import numpy as np
    >>> output_layer = keras.layers.Dense(7)
    >>> hidden = np.ones((2, 5, 16), "float32")
    >>> logits = output_layer(hidden)
    >>> LabelAttention()(hidden, output_layer.kernel.value.numpy().T).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Cui and Zhang, 2019](https://arxiv.org/abs/1908.08676), section 3.2
        - [Chen et al., 2021](https://arxiv.org/abs/2108.11916), section 2.2
    """

    def __init__(self, residual=True, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.residual = residual

    def build(self, input_shape):
        pass

    def call(self, hidden, labels, return_attention_scores=False):
        rows = ops.reshape(hidden, (-1, hidden.shape[-1]))  # fast as `tokenwise`
        scores = softmax(ops.matmul(rows, ops.transpose(labels)))
        output = from_rows(ops.matmul(scores, labels), hidden)
        if self.residual:
            output = output + hidden
        if not return_attention_scores:
            return output
        return output, from_rows(scores, hidden)

    def get_config(self):
        return {**super().get_config(), "residual": self.residual}
