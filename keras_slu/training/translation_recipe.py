"""The recipe of a translator."""

from typing import Annotated
from typing import Literal

import pydantic
from pydantic import Field

from keras_slu.training.base_recipe import BaseRecipe
from keras_slu.training.base_recipe import Training
from keras_slu.training.model_settings import check_poses
from keras_slu.training.settings import Positive
from keras_slu.training.settings import Rate
from keras_slu.training.settings import Settings

# Settings of other tasks' batches.
NOT_OURS = ("batch_size", "word_dropout", "slot_exchange")


class Parallel(Settings):
    """Two files whose lines translate each other, relative to the recipe file."""

    source: str
    target: str


class TranslationData(Settings):
    """Where the sentences are."""

    train: Parallel
    dev: Parallel
    test: Parallel | None = None


class TranslationText(Settings):
    """How text becomes token ids."""

    vocabulary_size: Annotated[int, Field(ge=8)] = 4000  # of both languages
    max_tokens: Annotated[int, Field(ge=2)] = 128


class CapsuleTransformerSettings(Settings):
    """Arguments of `keras_slu.models.CapsuleTransformer`."""

    dim: Annotated[int, Field(ge=2, multiple_of=2)] = 128
    num_heads: Positive = 8
    inner_dim: Positive = 256
    num_layers: Positive = 2
    routing: Literal["dynamic", "em"] = "dynamic"
    encoder_capsules: tuple[Positive, ...] = ()
    decoder_capsules: tuple[Positive, ...] = ()
    cross_capsules: tuple[Positive, ...] = ()
    iterations: Positive = 3
    pose_rows: Positive | None = None
    dropout: Rate = 0.1
    attention_dropout: Rate = 0.0
    label_smoothing: Rate = 0.1

    @pydantic.model_validator(mode="after")
    def _check(self):
        if self.dim % self.num_heads or self.dim < 2 * self.num_heads:
            raise ValueError(
                "Make `dim` a multiple of `num_heads` and at least twice it"
            )
        routed = {*self.encoder_capsules, *self.decoder_capsules, *self.cross_capsules}
        if max(routed, default=0) > self.num_layers:
            raise ValueError(f"Name layers with capsules from 1 to {self.num_layers}")
        width = self.dim // self.num_heads
        if routed and self.pose_rows is None and self.routing == "em":
            check_poses(self.dim, self.num_heads)
        if self.pose_rows is not None and width % self.pose_rows:
            raise ValueError(f"Make `pose_rows` a divisor of {width}, a head's width")
        return self

    def arguments(self):
        """What `CapsuleTransformer` takes."""
        arguments = self.model_dump()
        capsules = {name: arguments.pop(name) for name in ("iterations", "pose_rows")}
        return {**arguments, "capsules": capsules}


class TranslationTraining(Training):
    """How a translator is trained."""

    optimizer: Literal["radam", "adam", "adamw"] = "adam"
    # Of either side of a batch, padding included.
    batch_tokens: Positive = 2048

    @pydantic.model_validator(mode="after")
    def _check_batches(self):
        for name in NOT_OURS:
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"`{name}` is not for translation: leave it out")
        return self


class TranslationRecipe(BaseRecipe):
    """Everything that the training of a translator needs."""

    task: Literal["translation"]
    data: TranslationData
    text: TranslationText = TranslationText()
    model: CapsuleTransformerSettings = CapsuleTransformerSettings()
    training: TranslationTraining = TranslationTraining()
