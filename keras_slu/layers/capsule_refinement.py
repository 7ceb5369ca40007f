"""What capsule routing does with the heads of an attention (Gu and Feng 2019)."""

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
class CapsuleRefinement(keras.layers.Layer):
    """Routes heads into capsules, which refine the heads.

    At each position the heads `u_1 .. u_h` vote for the output capsules
    `v_1 .. v_m`:

        v = Routing(u_i W_ij)
        refined = [u_1 .. u_h] + FFN([v_1 .. v_m])

    In EM routing a head is a pose matrix and its activation `sigmoid(w_i . u_i)`.
    The activations of the output capsules are left out, as in the paper, which
    does not say how the heads get theirs.

    Args:
        num_heads: int. Heads, the input capsules.
        head_dim: int. Width of a head.
        routing: `"dynamic"` or `"em"`. Defaults to `"dynamic"`.
        num_capsules: int. Output capsules, or `None` for `num_heads`.
        capsule_dim: int. Their width, or `None` for `head_dim`.
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
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        heads: float tensor `(batch, time, num_heads * head_dim)`, head beside
            head. Positions do not mix, so padding needs no mask.

    Returns:
        float tensor like `heads`.

    Raises:
        ValueError: if in EM routing a head is no square matrix and `pose_rows`
            is `None`, or if `pose_rows` does not divide the widths.

    Example:

    >>> import numpy as np
    >>> CapsuleRefinement(8, 4)(np.ones((2, 5, 32), "float32")).shape
    TensorShape([2, 5, 32])

    Reference:
        - [Gu and Feng, 2019](https://arxiv.org/abs/1909.00188), section 3
    """

    def __init__(
        self,
        num_heads,
        head_dim,
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
        super().__init__(**kwargs)
        if routing not in ROUTINGS:
            raise ValueError(
                f"`routing` must be one of {ROUTINGS}. Received: {routing!r}"
            )
        if routing == "dynamic" and schedule is not None:
            raise ValueError(
                f"`schedule` is of EM routing only. Received: schedule={schedule}"
            )
        self.num_heads = num_heads
        self.head_dim = head_dim
        self.routing = routing
        self.num_capsules = num_capsules or num_heads
        self.capsule_dim = capsule_dim or head_dim
        self.iterations = iterations
        self.schedule = None if schedule is None else tuple(schedule)
        self.stop_gradient = stop_gradient
        self.pose_rows = pose_rows or self._default_pose_rows()
        self.ffn_dim = ffn_dim or num_heads * head_dim
        self._make_sublayers()

    def _default_pose_rows(self):
        if self.routing == "dynamic":
            return 1
        rows = math.isqrt(self.head_dim)
        if rows**2 != self.head_dim:
            raise ValueError(
                "`pose_rows` must be given where a head's values are no square "
                f"matrix. Received: a head's width is {self.head_dim}"
            )
        return rows

    def _make_sublayers(self):
        settings = {"dtype": self.dtype_policy}
        self.votes = CapsuleVotes(
            self.num_capsules, self.capsule_dim, self.pose_rows, **settings
        )
        self.ffn = FeedForward(self.num_heads * self.head_dim, self.ffn_dim, **settings)
        settings |= {
            "iterations": self.iterations,
            "stop_gradient": self.stop_gradient,
        }
        if self.routing == "dynamic":
            self.router = DynamicRouting(**settings)
        else:
            self.router = EMRouting(schedule=self.schedule, **settings)

    def build(self, heads_shape):
        heads = (None, self.num_heads, self.head_dim)
        votes = (None, self.num_heads, self.num_capsules, self.capsule_dim)
        self.votes.build(heads)
        self.router.build(votes)
        self.ffn.build((None, None, self.num_capsules * self.capsule_dim))
        if self.routing == "em":
            self.activation_kernel = self.add_weight(  # w
                shape=heads[1:], initializer="glorot_uniform", name="activation_kernel"
            )

    def call(self, heads):
        rows = ops.reshape(heads, (-1, self.num_heads, self.head_dim))
        capsules = ops.reshape(
            self._route(rows), (-1, self.num_capsules * self.capsule_dim)
        )
        return heads + self.ffn(from_rows(capsules, heads))

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
                "num_heads": self.num_heads,
                "head_dim": self.head_dim,
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
