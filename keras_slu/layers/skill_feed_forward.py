"""Feed-forward networks side by side, one a skill, of which a task needs some."""

import keras

from keras_slu.layers.feed_forward import FeedForward


@keras.saving.register_keras_serializable(package="keras_slu")
class SkillFeedForward(keras.layers.Layer):
    """The mean of the networks of the active skills, at each token.

        h_k   = W_2k GELU(W_1k h + b_1k) + b_2k
        h_out = 1 / |S| sum over k in S of h_k

    What is active is a Python value, not a tensor: a trace holds the active
    networks only. So the others cost nothing and get no gradient, not even
    one of zeros, which an optimizer's moments and weight decay would act on.

    Args:
        skills: list of str, without doubles.
        dim: int. Width of the output.
        inner_dim: int. Width of each network's hidden layer.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        hidden: float tensor `(batch, time, dim)`. Padding needs no mask, since
            tokens do not mix.
        skills: tuple of str, those that are active; `None` for all. Defaults
            to `None`.

    Returns:
        float tensor `(batch, time, dim)`.

    Raises:
        ValueError: for doubles, and when called with an unknown skill or none.

    Example:

    >>> import numpy as np
    >>> layer = SkillFeedForward(["s1", "s2", "s7"], dim=8, inner_dim=32)
    >>> layer(np.ones((2, 5, 8), "float32"), skills=("s1", "s7")).shape
    TensorShape([2, 5, 8])

    Reference:
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312), section 3.1
    """

    def __init__(self, skills, dim, inner_dim, **kwargs):
        super().__init__(**kwargs)
        if len(set(skills)) < len(skills) or not skills:
            raise ValueError(
                f"`skills` must be names without doubles. Received: {list(skills)}"
            )
        self.skills = list(skills)
        self.dim = dim
        self.inner_dim = inner_dim
        self.networks = [
            FeedForward(
                dim, inner_dim, activation="gelu", name=skill, dtype=self.dtype_policy
            )
            for skill in self.skills
        ]

    def build(self, input_shape):
        for network in self.networks:
            network.build(input_shape)

    def call(self, hidden, skills=None):
        active = [self.network(skill) for skill in self.active(skills)]
        total = active[0](hidden)
        for network in active[1:]:
            total = total + network(hidden)
        return total if len(active) == 1 else total * (1.0 / len(active))

    def compute_output_spec(self, hidden, skills=None):
        return keras.KerasTensor((*hidden.shape[:-1], self.dim), self.compute_dtype)

    def active(self, skills):
        """The skills that are active, in the order in which they are added."""
        if skills is None:
            return self.skills
        unknown = sorted(set(skills) - set(self.skills))
        if unknown or not skills:
            raise ValueError(
                f"`skills` must be some of {self.skills}. Received: {tuple(skills)}"
            )
        return [skill for skill in self.skills if skill in skills]

    def network(self, skill):
        """The network of a skill, a `FeedForward`."""
        return self.networks[self.skills.index(skill)]

    def get_config(self):
        config = super().get_config()
        config.update(
            {"skills": self.skills, "dim": self.dim, "inner_dim": self.inner_dim}
        )
        return config
