"""The models that a recipe can name, and their arguments.

What an argument means stands in the docstring of the model in
`keras_slu.models`.
"""

from math import isqrt
from typing import Annotated
from typing import Literal

import pydantic
from pydantic import Discriminator
from pydantic import Tag

from keras_slu.training.settings import AboveZero
from keras_slu.training.settings import Even
from keras_slu.training.settings import Positive
from keras_slu.training.settings import Rate
from keras_slu.training.settings import Settings

NUM_HEADS = 8  # of first-order attention
# The types that can have a pretrained encoder.
WITH_ENCODER = (
    "han",
    "co_interactive",
    "stack_propagation",
    "joint_bert",
    "slot_refine",
    "lrt",
)


def check_poses(dim, num_heads):
    """Refuses heads that EM routing cannot read as square matrices."""
    if isqrt(dim // num_heads) ** 2 != dim // num_heads:
        raise ValueError(
            f"With EM routing make a head's width, {dim} / {num_heads}, a square number"
        )


class JointSettings(Settings):
    """What every joint model has."""

    embedding_dim: Positive = 100
    dim: Even = 128
    trainable_embedding: bool = True
    # "softmax": one of the sets of intents in the training data; "sigmoid": any
    # intents together, each above a threshold that dev chooses.
    intent_head: Literal["softmax", "sigmoid"] = "softmax"
    # With static word vectors, the rate at which words lose the other channel.
    channel_dropout: Rate = 0.0
    embedding_dropout: Rate = 0.3
    dropout: Rate = 0.3
    attention_dropout: Rate = 0.1
    slot_loss_weight: AboveZero = 1.0
    label_smoothing: Rate = 0.0

    @pydantic.model_validator(mode="after")
    def _check_heads(self):
        is_used = getattr(self, "interaction", True)
        attention = getattr(self, "attention", None)
        if is_used and attention not in (None, "bilinear", "none"):
            if self.dim % NUM_HEADS or self.dim == NUM_HEADS:
                raise ValueError(
                    f"With `attention: {attention}`, which has {NUM_HEADS} heads, make "
                    f"`dim` a multiple of {NUM_HEADS} and at least {2 * NUM_HEADS}"
                )
            if attention == "capsule_em":
                check_poses(self.dim, NUM_HEADS)
        return self


class BiLSTMSettings(JointSettings):
    """What the models around a BiLSTM have, or a pretrained encoder in its place."""

    # Whether the BiLSTM stays behind that encoder, in place of a dense layer.
    keep_bilstm: bool = False


class HANSettings(BiLSTMSettings):
    """Arguments of `keras_slu.models.HAN`."""

    type: Literal["han"] = "han"
    num_layers: Positive = 2
    attention: Literal[
        "bilinear", "first_order", "capsule_dynamic", "capsule_em", "none"
    ] = "bilinear"
    order: Literal["infinite", "second"] = "infinite"
    alpha: AboveZero = 1.0
    label_attention: bool = True
    fusion: Literal["dynamic", "shallow"] = "dynamic"
    merge: Literal["concat", "sum"] = "concat"
    interaction: bool = True
    slot_head: Literal["crf", "softmax"] = "crf"
    self_attention: bool = False

    @pydantic.model_validator(mode="after")
    def _check_fusion(self):
        without = self.interaction and self.attention == "none"
        if without and self.fusion == "dynamic":
            raise ValueError("With `attention: none` set `fusion: shallow`")
        return self


class CoInteractiveSettings(BiLSTMSettings):
    """Arguments of `keras_slu.models.CoInteractive`."""

    type: Literal["co_interactive"]
    num_blocks: Positive = 2
    attention: Literal["first_order", "bilinear", "none"] = "first_order"
    order: Literal["infinite", "second"] = "infinite"


class StackPropagationSettings(BiLSTMSettings):
    """Arguments of `keras_slu.models.StackPropagation`."""

    type: Literal["stack_propagation"]
    dim: Even = 256
    attention: Literal["none", "first_order", "bilinear"] = "none"
    num_layers: Positive = 1
    order: Literal["infinite", "second"] = "infinite"
    decoder_dim: Positive = 64
    intent_dim: Positive = 8
    tag_dim: Positive = 32
    teacher_forcing: Annotated[float, pydantic.Field(ge=0.0, le=1.0)] = 0.9


class RefinementSettings(Settings):
    """LRM and SLG of Cheng et al. (2022), for models that have a `num_layers`."""

    refine_after: tuple[Positive, ...] = ()
    merge: Literal["sum", "norm", "concat"] = "sum"
    generator: bool = False
    generator_layers: Positive = 1
    consistency_weight: Annotated[float, pydantic.Field(ge=0.0)] = 0.1
    generator_weight: AboveZero = 0.5

    @pydantic.model_validator(mode="after")
    def _check_layers(self):
        if any(layer >= self.num_layers for layer in self.refine_after):
            raise ValueError("Name in `refine_after` layers below `num_layers` only")
        return self


class JointBERTSettings(RefinementSettings):
    """Arguments of `keras_slu.models.JointBERT`."""

    type: Literal["joint_bert"]
    num_layers: Annotated[int, pydantic.Field(ge=0)] = 0
    # 0 is the encoder.
    refine_after: tuple[Annotated[int, pydantic.Field(ge=0)], ...] = ()
    num_heads: Positive = 8
    inner_dim: Positive | None = None
    max_distance: Positive = 16
    intent_head: Literal["softmax", "sigmoid"] = "softmax"
    slot_head: Literal["crf", "softmax"] = "crf"
    dropout: Rate = 0.1
    slot_loss_weight: AboveZero = 1.0
    label_smoothing: Rate = 0.0

    @pydantic.model_validator(mode="after")
    def _check_slot_head(self):
        if self.slot_head == "crf" and (self.refine_after or self.generator):
            raise ValueError(
                "With `refine_after` or `generator` set `slot_head: softmax`"
            )
        return self


class TransformerSettings(JointSettings):
    """What the models around a `RelativeEncoder` have."""

    num_heads: Positive = 8
    inner_dim: Positive | None = None
    max_distance: Positive = 16
    dropout: Rate = 0.1

    @pydantic.model_validator(mode="after")
    def _check_width(self):
        if self.dim % self.num_heads:
            raise ValueError("Make `dim` a multiple of `num_heads`")
        return self


class SlotRefineSettings(TransformerSettings, RefinementSettings):
    """Arguments of `keras_slu.models.SlotRefine`."""

    type: Literal["slot_refine"]
    num_layers: Positive = 2


class LRTSettings(TransformerSettings, RefinementSettings):
    """Arguments of `keras_slu.models.LRT`."""

    type: Literal["lrt"]
    num_layers: Positive = 4
    refine_after: tuple[Positive, ...] = (2,)
    generator: bool = True
    routing: Literal["dynamic", "em"] | None = None

    @pydantic.model_validator(mode="after")
    def _check_routing(self):
        if self.routing == "em":
            check_poses(self.dim, self.num_heads)
        return self


class SHALRTSettings(LRTSettings):
    """Arguments of `keras_slu.models.SHALRT`."""

    type: Literal["sha_lrt"]
    history_layers: Positive = 1
    history_source: Literal["both", "utterances", "results"] = "both"
    parallel: bool = False
    max_turns: Positive | None = 8
    history_merge: Literal["sum", "norm", "concat"] = "sum"
    parallel_merge: Literal["sum", "norm", "concat"] = "sum"
    max_history: Annotated[int, pydantic.Field(ge=2)] = 128
    system_turns: bool = False

    @pydantic.model_validator(mode="after")
    def _check_heads_of_history(self):
        if self.dim == self.num_heads:
            raise ValueError("Make `dim` at least twice `num_heads`")
        return self


class MemoryEncoderSettings(JointSettings):
    """Arguments of `keras_slu.models.MemoryEncoder`."""

    type: Literal["memory_encoder"]
    max_turns: Positive = 8
    max_history: Annotated[int, pydantic.Field(ge=2)] = 128
    system_turns: bool = False


class TwoRoundSettings(JointSettings):
    """Arguments of `keras_slu.models.TwoRoundBiLSTM`."""

    type: Literal["two_round"]
    dim: Annotated[int, pydantic.Field(ge=16, multiple_of=8)] = 128
    max_history: Annotated[int, pydantic.Field(ge=2)] = 128
    system_turns: bool = False


def _type_of(model):
    """The model's type, HAN where a recipe leaves it out."""
    if isinstance(model, dict):
        return str(model.get("type", "han"))
    return getattr(model, "type", "han")


ModelSettings = Annotated[
    Annotated[HANSettings, Tag("han")]
    | Annotated[CoInteractiveSettings, Tag("co_interactive")]
    | Annotated[StackPropagationSettings, Tag("stack_propagation")]
    | Annotated[JointBERTSettings, Tag("joint_bert")]
    | Annotated[SlotRefineSettings, Tag("slot_refine")]
    | Annotated[LRTSettings, Tag("lrt")]
    | Annotated[SHALRTSettings, Tag("sha_lrt")]
    | Annotated[MemoryEncoderSettings, Tag("memory_encoder")]
    | Annotated[TwoRoundSettings, Tag("two_round")],
    Discriminator(_type_of),
]
