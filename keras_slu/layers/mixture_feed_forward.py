"""A mixture of experts in the place of a feed-forward network."""

import keras
from keras import ops

from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.tokenwise import tokenwise


@keras.saving.register_keras_serializable(package="keras_slu")
class MixtureFeedForward(keras.layers.Layer):
    """A gate picks experts for each token, whatever the task.

        p     = softmax(h W_g)
        h_out = sum over k in top(p) of p_k / sum over j in top(p) of p_j  h_k

    The baseline that skills are measured against. Its paper says no more than
    that it is a mixture of experts. Open are, and here are: a gate for each
    token, without bias or noise; the top `top_k` experts, their weights scaled
    to a sum of 1; no loss that balances the experts. Each expert is computed
    for all tokens and weighed with 0 where it was not picked: this is a
    baseline for scores, not for speed.

    Args:
        num_experts: int.
        top_k: int. Experts for each token, at most `num_experts`.
        dim: int. Width of the output.
        inner_dim: int. Width of each expert's hidden layer.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`. Padding needs no mask, since
            tokens do not mix.

    Returns:
        float tensor `(batch, time, dim)`.

    Raises:
        ValueError: when `top_k` is less than 1 or more than `num_experts`.

    Example:

    >>> import numpy as np
    >>> layer = MixtureFeedForward(6, top_k=2, dim=8, inner_dim=32)
    >>> layer(np.ones((2, 5, 8), "float32")).shape
    TensorShape([2, 5, 8])

    Reference:
        - [Shazeer et al., 2017](https://arxiv.org/abs/1701.06538), section 2
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312), Table 3
    """

    def __init__(self, num_experts, top_k, dim, inner_dim, **kwargs):
        super().__init__(**kwargs)
        if not 1 <= top_k <= num_experts:
            raise ValueError(
                "`top_k` must be from 1 to `num_experts`. "
                f"Received: top_k={top_k}, num_experts={num_experts}"
            )
        self.num_experts = num_experts
        self.top_k = top_k
        self.dim = dim
        self.inner_dim = inner_dim
        settings = {"dtype": self.dtype_policy}
        self.gate = keras.layers.Dense(
            num_experts, use_bias=False, name="gate", **settings
        )
        self.experts = [
            FeedForward(dim, inner_dim, activation="gelu", **settings)
            for _ in range(num_experts)
        ]

    def build(self, input_shape):
        self.gate.build(input_shape)
        for expert in self.experts:
            expert.build(input_shape)

    def call(self, hidden):
        weights = self._weights(hidden)  # (batch, time, experts)
        outputs = [
            weights[..., place : place + 1] * expert(hidden)
            for place, expert in enumerate(self.experts)
        ]
        return sum(outputs[1:], outputs[0])

    def compute_output_spec(self, hidden):
        return keras.KerasTensor((*hidden.shape[:-1], self.dim), self.compute_dtype)

    def _weights(self, hidden):
        """The weight of each expert at each token, 0 where it was not picked."""
        scores = tokenwise(self.gate, hidden)
        precise = keras.backend.result_type(scores.dtype, "float32")
        # A softmax over the picked ones alone is the softmax over all, scaled
        # to a sum of 1.
        best, picked = ops.top_k(ops.cast(scores, precise), self.top_k)
        shares = ops.exp(best - best[..., :1])
        shares = shares / ops.sum(shares, axis=-1, keepdims=True)
        picked = ops.one_hot(picked, self.num_experts, dtype=precise)
        weights = ops.sum(shares[..., None] * picked, axis=-2)
        return ops.cast(weights, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "num_experts": self.num_experts,
                "top_k": self.top_k,
                "dim": self.dim,
                "inner_dim": self.inner_dim,
            }
        )
        return config
