"""Multi-head attention whose heads are routed as capsules (Gu and Feng 2019)."""

import keras
from keras import ops

from keras_slu.layers.capsule_refinement import CapsuleRefinement
from keras_slu.layers.tokenwise import from_rows


@keras.saving.register_keras_serializable(package="keras_slu")
class CapsuleMultiHeadAttention(keras.layers.MultiHeadAttention):
    """`keras.layers.MultiHeadAttention` with capsule routing behind its heads.

    The heads `u_1 .. u_h` are refined by the capsules that they are routed
    into, see `CapsuleRefinement`:

        O = W^O ([u_1 .. u_h] + FFN([v_1 .. v_m]))

    It takes the arguments and the call arguments of
    `keras.layers.MultiHeadAttention`, masks and `return_attention_scores`
    among them. Positions do not mix in the routing: what the attention masks,
    stays masked. The paper does not say whether `W^O` stays.

    Args:
        num_heads: int. Heads, the input capsules.
        key_dim: int. Width of a head's queries and keys.
        routing, num_capsules, capsule_dim, iterations, schedule, stop_gradient,
            pose_rows, ffn_dim: see `CapsuleRefinement`.
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
        self._capsules = {
            "routing": routing,
            "num_capsules": num_capsules,
            "capsule_dim": capsule_dim,
            "iterations": iterations,
            "schedule": schedule,
            "stop_gradient": stop_gradient,
            "pose_rows": pose_rows,
            "ffn_dim": ffn_dim,
        }
        self.refinement = CapsuleRefinement(
            num_heads, self.value_dim, dtype=self.dtype_policy, **self._capsules
        )

    def build(self, query_shape, value_shape, key_shape=None):
        if len(query_shape) != 3 or len(value_shape) != 3:
            raise ValueError(
                "`query` and `value` must be (batch, time, features). Received: "
                f"query_shape={query_shape}, value_shape={value_shape}"
            )
        super().build(query_shape, value_shape, key_shape)
        self.refinement.build((None, None, self.num_heads * self.value_dim))

    def _compute_attention(self, *args, **kwargs):
        """Refines what Keras' attention gives before `W^O`, `(B, T, N, H)`."""
        heads, scores = super()._compute_attention(*args, **kwargs)
        rows = ops.reshape(heads, (-1, self.num_heads * self.value_dim))
        refined = self.refinement(from_rows(rows, heads))
        return ops.reshape(refined, ops.shape(heads)), scores

    def get_config(self):
        return {**super().get_config(), **self._capsules}
