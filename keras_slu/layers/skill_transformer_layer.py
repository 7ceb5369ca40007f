"""A BERT layer whose feed-forward network may be one of skills."""

import keras

from keras_slu.layers.feed_forward import FeedForward
from keras_slu.layers.mixture_feed_forward import MixtureFeedForward
from keras_slu.layers.multi_head_self_attention import MultiHeadSelfAttention
from keras_slu.layers.post_norm_layer import PostNormLayer
from keras_slu.layers.skill_feed_forward import SkillFeedForward

KINDS = ("skill", "dense", "mixture")
EPSILON = 1e-12  # BERT's, in its norms


@keras.saving.register_keras_serializable(package="keras_slu")
class SkillTransformerLayer(PostNormLayer):
    """Self-attention, then the networks of skills, each with residual and norm.

        Z = LN(x + attention(x))
        H = LN(Z + 1 / |S| sum over k in S of FFN_k(Z))

    With GELU, biases in the attention and BERT's epsilon, so that it takes
    over a layer of BERT as it is.

    Args:
        dim: int. Width of the features, a multiple of `num_heads`.
        num_heads: int. Defaults to `8`.
        inner_dim: int. Width of each network's hidden layer, or `None` for
            `4 * dim`. Defaults to `None`.
        kind: str. `"skill"`; `"dense"`, one network for all; or `"mixture"`,
            see `MixtureFeedForward`. Defaults to `"skill"`.
        skills: list of str, for `"skill"`. Defaults to none.
        num_experts: int, for `"mixture"`. Defaults to `None`.
        top_k: int, for `"mixture"`. Defaults to `2`.
        dropout: float. Rate on the output of both parts. Defaults to `0.0`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`.
        padding_mask: bool tensor `(batch, time)`, true at real tokens, or
            `None` when all are real.
        skills: tuple of str, the active skills of a `"skill"` layer; `None`
            for all. Defaults to `None`.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`.

    Example:

    >>> import numpy as np
    >>> layer = SkillTransformerLayer(16, skills=["s1", "s2", "s7"])
    >>> layer(np.ones((2, 5, 16), "float32"), skills=("s1", "s7")).shape
    TensorShape([2, 5, 16])

    Reference:
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312), section 3.1
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805)
    """

    def __init__(
        self,
        dim,
        num_heads=8,
        inner_dim=None,
        kind="skill",
        skills=(),
        num_experts=None,
        top_k=2,
        dropout=0.0,
        attention_dropout=0.0,
        **kwargs,
    ):
        super().__init__(
            dim, num_heads, inner_dim or 4 * dim, dropout, attention_dropout, **kwargs
        )
        if kind not in KINDS:
            raise ValueError(f"`kind` must be one of {KINDS}. Received: {kind!r}")
        if kind == "mixture" and num_experts is None:
            raise ValueError("`kind='mixture'` needs `num_experts`. Received: None")
        self.kind = kind
        self.skills = list(skills)
        self.num_experts = num_experts
        self.top_k = top_k
        attention = MultiHeadSelfAttention(
            dim,
            num_heads,
            dropout=attention_dropout,
            use_bias=True,
            dtype=self.dtype_policy,
        )
        self._make_parts(attention, self._make_feed_forward(), EPSILON)

    def _make_feed_forward(self):
        sizes = (self.dim, self.inner_dim)
        settings = {"dtype": self.dtype_policy, "name": "feed_forward"}
        if self.kind == "skill":
            return SkillFeedForward(self.skills, *sizes, **settings)
        if self.kind == "mixture":
            return MixtureFeedForward(self.num_experts, self.top_k, *sizes, **settings)
        return FeedForward(*sizes, activation="gelu", **settings)

    def _attend(self, hidden, padding_mask, training):
        return self.attention(hidden, padding_mask=padding_mask, training=training)

    def call(self, hidden, padding_mask=None, skills=None, training=None):
        attended = self._attend(hidden, padding_mask, training)
        hidden = self.attention_norm(hidden, attended, training=training)
        active = {"skills": skills} if self.kind == "skill" else {}
        update = self.feed_forward(hidden, **active)
        return self.output_norm(hidden, update, training=training)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "kind": self.kind,
                "skills": self.skills,
                "num_experts": self.num_experts,
                "top_k": self.top_k,
            }
        )
        return config
