"""Multi-head attention whose heads are routed as capsules (Gu and Feng 2019)."""

import math

import keras
from keras import ops

from keras_slu.layers.capsule_votes import CapsuleVotes
from keras_slu.layers.dynamic_routing import DynamicRouting
from keras_slu.layers.em_routing import EMRouting
from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.tokenwise import from_rows

ROUTINGS = ("dynamic", "em")


@keras.saving.register_keras_serializable(package="keras_slu")
class CapsuleMultiHeadAttention(keras.layers.MultiHeadAttention):
    """`keras.layers.MultiHeadAttention` with capsule routing behind its heads.

    At each position the heads `u_1 .. u_h` vote for the output capsules
    `v_1 .. v_m`, and these refine the heads:

        v = Routing(u_i W_ij)
        O = W^O ([u_1 .. u_h] + FFN([v_1 .. v_m]))

    It takes the arguments and the call arguments of
    `keras.layers.MultiHeadAttention`, masks and `return_attention_scores`
    among them. Positions do not mix in the routing: what the attention masks,
    stays masked.

    In EM routing a head is a pose matrix and its activation `sigmoid(w_i . u_i)`.
    The activations of the output capsules are left out, as in the paper, which
    says neither how the heads get theirs nor whether `W^O` stays.

    Args:
        num_heads: int. Heads, the input capsules.
        key_dim: int. Width of a head's queries and keys.
        routing: `"dynamic"` or `"em"`. Defaults to `"dynamic"`.
        num_capsules: int. Output capsules, or `None` for `num_heads`.
            Defaults to `None`.
        capsule_dim: int. Width of an output capsule, or `None` for the width of
            a head's values. Defaults to `None`.
        iterations: int. Of the routing. Defaults to `3`.
        schedule: floats. `EMRouting`'s, which no other routing has, or `None`
            for its default. Defaults to `None`.
        stop_gradient: bool. Whether gradients flow through the last iteration
            of the routing only. Defaults to `False`.
        pose_rows: int. Rows of the pose matrix that a head is read as; or `None`
            for 1 in dynamic routing, and for a square matrix in EM routing.
            Defaults to `None`.
        ffn_dim: int. Width of the hidden layer of the FFN, or `None` for the
            width of all heads. Defaults to `None`.
        **kwargs: passed to `keras.layers.MultiHeadAttention`.

    Call arguments:
        query: float tensor `(batch, time, features)`.
        value: float tensor `(batch, keys, features)`.
        key, attention_mask, return_attention_scores and the others: as in
            `keras.layers.MultiHeadAttention`.

    Returns:
        float tensor `(batch, time, features)`, or of the width `output_shape`;
        with `return_attention_scores` also `(batch, num_heads, time, keys)`.

    Raises:
        ValueError: if in EM routing a head's values are no square matrix and
            `pose_rows` is `None`, or if `pose_rows` does not divide the widths.

    Example:

    >>> import numpy as np
    >>> hidden = np.ones((2, 5, 32), "float32")
    >>> layer = CapsuleMultiHeadAttention(num_heads=8, key_dim=4, routing="em")
    >>> layer(hidden, hidden).shape
    TensorShape([2, 5, 32])

    Reference:
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188), section 3
    """

    def __init__(
        self,
        num_heads,
        key_dim,
        routing="dynamic",
        num_capsules=None,
        capsule_dim=None,
        iterations=3,
        schedule=None,
        stop_gradient=False,
        pose_rows=None,
        ffn_dim=None,
        **kwargs,
    ):
        super().__init__(num_heads, key_dim, **kwargs)
        if routing not in ROUTINGS:
            raise ValueError(
                f"`routing` must be one of {ROUTINGS}. Received: {routing!r}"
            )
        if routing == "dynamic" and schedule is not None:
            raise ValueError(
                f"`schedule` is of EM routing only. Received: schedule={schedule}"
            )
        self.routing = routing
        self.num_capsules = num_capsules or num_heads
        self.capsule_dim = capsule_dim or self.value_dim
        self.iterations = iterations
        self.schedule = None if schedule is None else tuple(schedule)
        self.stop_gradient = stop_gradient
        self.pose_rows = pose_rows or self._default_pose_rows()
        self.ffn_dim = ffn_dim or num_heads * self.value_dim
        self._make_sublayers()

    def _default_pose_rows(self):
        if self.routing == "dynamic":
            return 1
        rows = math.isqrt(self.value_dim)
        if rows**2 != self.value_dim:
            raise ValueError(
                "`pose_rows` must be given where a head's values are no square "
                f"matrix. Received: value_dim={self.value_dim}"
            )
        return rows

    def _make_sublayers(self):
        settings = {"dtype": self.dtype_policy}
        self.votes = CapsuleVotes(
            self.num_capsules, self.capsule_dim, self.pose_rows, **settings
        )
        settings |= {
            "iterations": self.iterations,
            "stop_gradient": self.stop_gradient,
        }
        if self.routing == "dynamic":
            self.router = DynamicRouting(**settings)
        else:
            self.router = EMRouting(schedule=self.schedule, **settings)
        self.ffn = FeedForward(
            self.num_heads * self.value_dim, self.ffn_dim, dtype=self.dtype_policy
        )

    def build(self, query_shape, value_shape, key_shape=None):
        if len(query_shape) != 3 or len(value_shape) != 3:
            raise ValueError(
                "`query` and `value` must be (batch, time, features). Received: "
                f"query_shape={query_shape}, value_shape={value_shape}"
            )
        super().build(query_shape, value_shape, key_shape)
        heads = (None, self.num_heads, self.value_dim)
        votes = (None, self.num_heads, self.num_capsules, self.capsule_dim)
        self.votes.build(heads)
        self.router.build(votes)
        self.ffn.build((None, None, self.num_capsules * self.capsule_dim))
        if self.routing == "em":
            self.activation_kernel = self.add_weight(  # w
                shape=heads[1:], initializer="glorot_uniform", name="activation_kernel"
            )

    def _compute_attention(self, *args, **kwargs):
        """Routes what Keras' attention gives before `W^O`, `(B, T, N, H)`."""
        heads, scores = super()._compute_attention(*args, **kwargs)
        rows = ops.reshape(heads, (-1, self.num_heads, self.value_dim))
        capsules = ops.reshape(
            self._route(rows), (-1, self.num_capsules * self.capsule_dim)
        )
        refined = self.ffn(from_rows(capsules, heads))
        return heads + ops.reshape(refined, ops.shape(heads)), scores

    def _route(self, heads):
        """From heads `(rows, heads, width)` to `(rows, capsules, capsule_dim)`."""
        votes = self.votes(heads)
        if self.routing == "dynamic":
            return self.router(votes)
        scores = ops.sum(heads * self.activation_kernel, axis=-1)
        return self.router(votes, ops.sigmoid(scores))[0]

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "routing": self.routing,
                "num_capsules": self.num_capsules,
                "capsule_dim": self.capsule_dim,
                "iterations": self.iterations,
                "schedule": self.schedule,
                "stop_gradient": self.stop_gradient,
                "pose_rows": self.pose_rows,
                "ffn_dim": self.ffn_dim,
            }
        )
        return config
