"""The layer-refined mechanism of LR-Transformer (Cheng et al. 2021)."""

import keras
from keras import ops

from keras_slu.layers.masks import softmax_bias
from keras_slu.layers.merge import Merge
from keras_slu.layers.softmax import softmax


@keras.saving.register_keras_serializable(package="keras_slu")
class LayerRefine(keras.layers.Layer):
    """Tells both tasks, between two layers, what each would answer by now.

    From the preliminary distributions `y^I` of the intent and `y^S_j` of token
    `j`'s slot, with embeddings `E^I`, `E^S` of the labels and a vector `V`:

        e^I   = E^I y^I,   e^S_j = E^S y^S_j
        e^S_0 = sum over j of softmax(V . e^S)_j e^S_j
        h_0'  = merge(h_0, e^I + e^S_0)
        h_j'  = merge(h_j, e^I + e^S_j)

    Row 0 of the hidden states stands for the sentence. The distributions are
    what the model's own final heads give for `hidden`: the paper shares the
    classifier. They come as call arguments, so that heads of any kind will do
    (softmax, sigmoid, the marginals of a CRF).

    Args:
        dim: int. Width of the hidden states.
        num_intents: int.
        num_tags: int.
        merge: str. `"sum"`, `"norm"` or `"concat"`, see `Merge`. Defaults to
            `"sum"`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, 1 + time, dim)`: the sentence, then its
            tokens.
        intent: float tensor `(batch, num_intents)`, probabilities.
        slots: float tensor `(batch, time, num_tags)`, probabilities.
        padding_mask: bool tensor `(batch, 1 + time)`, true at real rows of
            `hidden`, or `None` when all are real. Padding has no part in
            `e^S_0`.

    Returns:
        float tensor `(batch, 1 + time, dim)`.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 1 + 5, 16), "float32")
    >>> intent_head = keras.layers.Dense(3, activation="softmax")
    >>> slot_head = keras.layers.Dense(7, activation="softmax")
    >>> intent = intent_head(hidden[:, 0])
    >>> slots = slot_head(with_sentence(hidden))
    >>> LayerRefine(16, num_intents=3, num_tags=7)(hidden, intent, slots).shape
    TensorShape([2, 6, 16])

    Reference:
        - [Cheng et al., 2021](https://arxiv.org/abs/2108.07005)
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.4
    """

    def __init__(self, dim, num_intents, num_tags, merge="sum", **kwargs):
        super().__init__(**kwargs)
        self.dim = dim
        self.num_intents = num_intents
        self.num_tags = num_tags
        self.merge = merge
        self.join = Merge(dim, merge, dtype=self.dtype_policy)

    def build(self, hidden_shape):
        def weight(name, rows):
            return self.add_weight(
                shape=(rows, self.dim), initializer="uniform", name=name
            )

        self.intent_embeddings = weight("intent_embeddings", self.num_intents)  # E^I
        self.slot_embeddings = weight("slot_embeddings", self.num_tags)  # E^S
        self.salience = weight("salience", 1)  # V
        self.join.build(hidden_shape, hidden_shape)

    def call(self, hidden, intent, slots, padding_mask=None):
        of_intent = ops.matmul(intent, self.intent_embeddings)[:, None]
        of_slots = ops.matmul(slots, self.slot_embeddings)  # (batch, time, dim)
        scores = ops.sum(of_slots * self.salience, axis=-1)
        if padding_mask is not None:
            scores = scores + softmax_bias(padding_mask[:, 1:], self.compute_dtype)
        of_sentence = ops.matmul(softmax(scores)[:, None], of_slots)
        both = ops.concatenate([of_sentence, of_slots], axis=1)
        return self.join(hidden, of_intent + both)

    def compute_output_spec(self, hidden, intent, slots, padding_mask=None):
        return keras.KerasTensor(hidden.shape, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "dim": self.dim,
                "num_intents": self.num_intents,
                "num_tags": self.num_tags,
                "merge": self.merge,
            }
        )
        return config


def with_sentence(hidden):
    """Joins the sentence's row to each token's, `h_0 (+) h_j`.

    What the slot head of Cheng et al. (2022, equation 21) reads.

    Args:
        hidden: float tensor `(batch, 1 + time, dim)`.

    Returns:
        float tensor `(batch, time, 2 * dim)`: the sentence, then the token.
    """
    tokens = hidden[:, 1:]
    sentence = ops.broadcast_to(hidden[:, :1], ops.shape(tokens))
    return ops.concatenate([sentence, tokens], axis=-1)
