"""The models that a recipe can name, and their arguments.

What an argument means stands in the docstring of the model in
`keras_slu.models`.
"""

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


class JointSettings(Settings):
    """What every joint model has."""

    embedding_dim: Positive = 100
    dim: Even = 128
    trainable_embedding: bool = True
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
        if is_used and self.attention == "first_order":
            if self.dim % NUM_HEADS or self.dim == NUM_HEADS:
                raise ValueError(
                    f"With `attention: first_order`, which has {NUM_HEADS} heads, make "
                    f"`dim` a multiple of {NUM_HEADS} and at least {2 * NUM_HEADS}"
                )
        return self


class HANSettings(JointSettings):
    """Arguments of `keras_slu.models.HAN`."""

    type: Literal["han"] = "han"
    num_layers: Positive = 2
    attention: Literal["bilinear", "first_order", "none"] = "bilinear"
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


class CoInteractiveSettings(JointSettings):
    """Arguments of `keras_slu.models.CoInteractive`."""

    type: Literal["co_interactive"]
    num_blocks: Positive = 2
    attention: Literal["first_order", "bilinear", "none"] = "first_order"
    order: Literal["infinite", "second"] = "infinite"


class StackPropagationSettings(JointSettings):
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


def _type_of(model):
    """The model's type, HAN where a recipe leaves it out."""
    if isinstance(model, dict):
        return str(model.get("type", "han"))
    return getattr(model, "type", "han")


ModelSettings = Annotated[
    Annotated[HANSettings, Tag("han")]
    | Annotated[CoInteractiveSettings, Tag("co_interactive")]
    | Annotated[StackPropagationSettings, Tag("stack_propagation")],
    Discriminator(_type_of),
]
