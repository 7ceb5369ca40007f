"""The recipe of a punctuation model."""

from typing import Annotated
from typing import Literal

import pydantic
from pydantic import Discriminator
from pydantic import Field
from pydantic import Tag

from keras_slu.training.base_recipe import BaseRecipe
from keras_slu.training.base_recipe import WordText
from keras_slu.training.encoder_settings import EncoderSettings
from keras_slu.training.encoder_settings import check_decay
from keras_slu.training.settings import Even
from keras_slu.training.settings import Positive
from keras_slu.training.settings import Rate
from keras_slu.training.settings import Settings

Mark = Literal["COMMA", "PERIOD", "QUESTION", "EXCLAMATION", "COLON", "SEMICOLON"]


class PunctuationData(Settings):
    """Where the words and their marks are, relative to the recipe file."""

    train: str
    dev: str
    test: str | None = None
    test_asr: str | None = None  # what a speech recogniser made of the test


class TaggerSettings(Settings):
    """Arguments of `PunctuationTagger` and of its encoder."""

    type: Literal["tagger"]
    # What the words are read with: a BiLSTM, or an LSTM that sees the left.
    encoder: Literal["bilstm", "lstm"] = "bilstm"
    embedding_dim: Positive = 100
    dim: Even = 128
    embedding_dropout: Rate = 0.3
    encoder_dropout: Rate = 0.2
    head: Literal["softmax", "crf"] = "softmax"
    loss: Literal["crossentropy", "focal"] = "crossentropy"
    gamma: Annotated[float, Field(ge=0.0)] = 2.0
    r_drop: Annotated[float, Field(ge=0.0)] = 0.0

    @pydantic.model_validator(mode="after")
    def _check_crf(self):
        if self.head == "crf" and (self.loss != "crossentropy" or self.r_drop):
            raise ValueError("With `head: crf` leave out `loss` and `r_drop`")
        return self


class FFASettings(TaggerSettings):
    """Arguments of `FFA` and of its encoder."""

    type: Literal["ffa"] = "ffa"
    interaction: Literal["isa", "mha", "none"] = "isa"
    masked: bool = True
    fusion: bool = True
    causal: bool = False
    num_heads: Positive = 8
    num_layers: Positive = 1
    inner_dim: Positive | None = None
    dropout: Rate = 0.2
    attention_dropout: Rate = 0.0

    @pydantic.model_validator(mode="after")
    def _check_streams(self):
        if self.interaction == "none" and not self.masked:
            raise ValueError("Keep `interaction` or `masked`")
        if self.causal and (self.interaction != "none" or self.encoder != "lstm"):
            raise ValueError(
                "With `causal: true` set `interaction: none` and `encoder: lstm`"
            )
        if self.dim % self.num_heads:
            raise ValueError("Make `dim` a multiple of `num_heads`")
        return self


def _type_of(model):
    """The model's type, FFA where a recipe leaves it out."""
    if isinstance(model, dict):
        return str(model.get("type", "ffa"))
    return getattr(model, "type", "ffa")


PunctuationModelSettings = Annotated[
    Annotated[FFASettings, Tag("ffa")] | Annotated[TaggerSettings, Tag("tagger")],
    Discriminator(_type_of),
]


class PunctuationRecipe(BaseRecipe):
    """Everything that the training of a punctuation model needs."""

    task: Literal["punctuation"]
    data: PunctuationData
    marks: Annotated[tuple[Mark, ...], Field(min_length=1)] = (
        "COMMA",
        "PERIOD",
        "QUESTION",
    )
    window: Annotated[int, Field(ge=4)] = 64  # tokens that are read at once
    # The share of training words that get an error like a recogniser's.
    noise: Rate = 0.0
    text: WordText = WordText()
    encoder: EncoderSettings | None = None  # in place of embedding and BiLSTM
    # FFA's second encoder, of the same vocabulary, for the masked stream.
    masked_encoder: EncoderSettings | None = None
    model: PunctuationModelSettings = FFASettings()

    @property
    def has_static_vectors(self):
        vectors = self.text.word_vectors
        return vectors is not None and vectors.use == "static"

    @pydantic.model_validator(mode="after")
    def _check_encoder(self):
        if self.masked_encoder is not None:
            if not (self.encoder and getattr(self.model, "masked", False)):
                raise ValueError(
                    "`masked_encoder` is for FFA with an `encoder` and a masked stream"
                )
            # Rates go by the names of variables, which two BERTs have in common.
            if any(
                getattr(self.encoder, name) != getattr(self.masked_encoder, name)
                for name in ("learning_rate", "layer_decay")
            ):
                raise ValueError(
                    "Give `encoder` and `masked_encoder` the same `learning_rate` and "
                    "`layer_decay`"
                )
        if self.encoder is None:
            return self
        own = {"encoder", "embedding_dim", "embedding_dropout"}
        if own & self.model.model_fields_set:
            raise ValueError(
                "An `encoder` takes the place of `model.encoder` and its embedding: "
                f"leave out {', '.join(sorted(own))}"
            )
        if self.text.model_fields_set or self.training.word_dropout:
            raise ValueError(
                "An `encoder` has pieces of its own: leave out `text` and "
                "`training.word_dropout`"
            )
        check_decay(self.training)
        return self

    @pydantic.model_validator(mode="after")
    def _check(self):
        if len(set(self.marks)) < len(self.marks):
            raise ValueError("Name each of `marks` once")
        if self.training.slot_exchange:
            raise ValueError("`training.slot_exchange` is for slots: leave it out")
        return self
