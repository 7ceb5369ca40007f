"""A BERT encoder of pieces with skills in its top layers."""

import keras
from keras import ops

from keras_slu.layers.skill_transformer_layer import EPSILON
from keras_slu.layers.skill_transformer_layer import SkillTransformerLayer

SEGMENTS = 2  # as in BERT
STDDEV = 0.02  # of fresh embeddings, as in BERT


@keras.saving.register_keras_serializable(package="keras_slu")
class SkillEncoder(keras.layers.Layer):
    """Turns pieces into contextual features, with the skills that are asked for.

    BERT's embedding of piece, place and segment, then `num_layers` layers. The
    top `skill_layers` of them hold the networks of skills, those below one
    network for all.

    Args:
        vocabulary_size: int. Number of pieces, padding (0) included.
        dim: int. Width of the features, a multiple of `num_heads`. Defaults to
            `128`.
        num_heads: int. Defaults to `4`.
        inner_dim: int. Width of each feed-forward network's hidden layer, or
            `None` for `4 * dim`. Defaults to `None`.
        num_layers: int. Defaults to `4`.
        kind: str. What the top layers hold: `"skill"`, `"dense"` or
            `"mixture"`, see `SkillTransformerLayer`. Defaults to `"skill"`.
        skills: list of str, for `"skill"`. Defaults to none.
        skill_layers: int. How many layers from the top; `None` for all.
            Defaults to `None`.
        num_experts, top_k: int, for `"mixture"`. Default to `None` and `2`.
        max_pieces: int. Longest row. Defaults to `512`.
        dropout: float. Rate on the embedding and on the output of all parts.
            Defaults to `0.0`.
        attention_dropout: float. Rate on the attention weights. Defaults to
            `0.0`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        pieces: int tensor `(batch, time)`, 0 at padding, right-padded.
        segments: int tensor `(batch, time)` of 0 and 1, or `None` for zeros.
            Defaults to `None`.
        skills: tuple of str, the active ones; `None` for all. Defaults to
            `None`.
        training: bool.

    Returns:
        float tensor `(batch, time, dim)`, without meaning at padding.

    Raises:
        ValueError: for more skill layers than layers, and for rows that are
            longer than `max_pieces`.

    Example:

    >>> import numpy as np
    >>> encoder = SkillEncoder(50, dim=16, num_layers=2, skills=["s1", "s2", "s7"])
    >>> encoder(np.array([[2, 8, 3, 0]]), skills=("s2", "s7")).shape
    TensorShape([1, 4, 16])

    Reference:
        - [Zhang et al., 2022](https://arxiv.org/abs/2203.03312), section 3.1
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805)
    """

    def __init__(
        self,
        vocabulary_size,
        dim=128,
        num_heads=4,
        inner_dim=None,
        num_layers=4,
        kind="skill",
        skills=(),
        skill_layers=None,
        num_experts=None,
        top_k=2,
        max_pieces=512,
        dropout=0.0,
        attention_dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if skill_layers is None:
            skill_layers = num_layers
        if not 0 <= skill_layers <= num_layers:
            raise ValueError(
                "`skill_layers` must be from 0 to `num_layers`. Received: "
                f"skill_layers={skill_layers}, num_layers={num_layers}"
            )
        self.dim = dim
        self.max_pieces = max_pieces
        self._encoder_config = {
            "vocabulary_size": vocabulary_size,
            "dim": dim,
            "num_heads": num_heads,
            "inner_dim": inner_dim,
            "num_layers": num_layers,
            "kind": kind,
            "skills": list(skills),
            "skill_layers": skill_layers,
            "num_experts": num_experts,
            "top_k": top_k,
            "max_pieces": max_pieces,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
        }
        settings = {"dtype": self.dtype_policy}
        self.embedding, self.segment_embedding = (
            keras.layers.Embedding(
                size,
                dim,
                embeddings_initializer=keras.initializers.TruncatedNormal(
                    stddev=STDDEV
                ),
                name=name,
                **settings,
            )
            for name, size in (
                ("embedding", vocabulary_size),
                ("segment_embedding", SEGMENTS),
            )
        )
        self.norm = keras.layers.LayerNormalization(epsilon=EPSILON, **settings)
        self.drop = keras.layers.Dropout(dropout, **settings)
        self.layers = [
            SkillTransformerLayer(
                dim,
                num_heads,
                inner_dim,
                kind=kind if place >= num_layers - skill_layers else "dense",
                skills=skills,
                num_experts=num_experts,
                top_k=top_k,
                dropout=dropout,
                attention_dropout=attention_dropout,
                name=f"layer_{place}",
                **settings,
            )
            for place in range(num_layers)
        ]

    def build(self, input_shape=None):
        features = (None, None, self.dim)
        self.embedding.build((None, None))
        self.segment_embedding.build((None, None))
        self.positions = self.add_weight(
            shape=(self.max_pieces, self.dim),
            initializer=keras.initializers.TruncatedNormal(stddev=STDDEV),
            name="positions",
        )
        self.norm.build(features)
        for layer in self.layers:
            layer.build(features)

    def call(self, pieces, segments=None, skills=None, training=None):
        time = ops.shape(pieces)[1]
        if isinstance(time, int) and time > self.max_pieces:
            raise ValueError(
                f"`pieces` must have at most {self.max_pieces} columns. "
                f"Received: {time}"
            )
        if segments is None:
            segments = ops.zeros_like(pieces)
        hidden = self.embedding(pieces) + self.segment_embedding(segments)
        hidden = self.norm(hidden + self.positions[:time])
        hidden = self.drop(hidden, training=training)
        mask = ops.not_equal(pieces, 0)
        for layer in self.layers:
            active = skills if layer.kind == "skill" else None
            hidden = layer(hidden, padding_mask=mask, skills=active, training=training)
        return hidden

    def compute_output_spec(self, pieces, segments=None, skills=None, training=None):
        return keras.KerasTensor((*pieces.shape, self.dim), self.compute_dtype)

    def idle_networks(self, skills):
        """The networks that are not computed when these skills are active."""
        return [
            layer.feed_forward.network(skill)
            for layer in self.layers
            if layer.kind == "skill"
            for skill in layer.skills
            if skill not in skills
        ]

    def active_parameters(self, skills):
        """How many parameters a piece meets when these skills are active.

        Of a mixture's experts `top_k`, though which ones differs.
        """
        idle = sum(network.count_params() for network in self.idle_networks(skills))
        for layer in self.layers:
            if layer.kind == "mixture":
                unpicked = layer.num_experts - layer.top_k
                idle += unpicked * layer.feed_forward.experts[0].count_params()
        return self.count_params() - idle

    def get_config(self):
        return {**super().get_config(), **self._encoder_config}
