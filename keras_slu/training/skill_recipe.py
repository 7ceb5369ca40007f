"""The recipe of a SkillNet: several tasks, and the skills that each needs."""

from typing import Annotated
from typing import Literal

import pydantic
from pydantic import Field

from keras_slu.training.base_recipe import BaseRecipe
from keras_slu.training.base_recipe import Training
from keras_slu.training.encoder_settings import EncoderSettings
from keras_slu.training.settings import Positive
from keras_slu.training.settings import Rate
from keras_slu.training.settings import Settings

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")]
Paths = str | Annotated[tuple[str, ...], Field(min_length=1)]
# What figures have beside those of tasks.
RESERVED = ("mean", "loss")
# Settings that are for other tasks.
NOT_OURS = ("word_dropout", "slot_exchange", "weight_averaging")
# What of an encoder's settings is not for a start.
OF_ENCODERS = ("trainable", "learning_rate", "layer_decay")


class SkillTaskSettings(Settings):
    """One task: where its data are, relative to the recipe file, and its skills."""

    # See `keras_slu.models.SkillTask`.
    kind: Literal[
        "classification",
        "pair",
        "matching",
        "tagging",
        "span",
        "ranking",
        "masked_pieces",
    ]
    skills: Annotated[tuple[str, ...], Field(min_length=1)]
    # One of `keras_slu.data.skill_data.FORMATS`; by the file's name by default.
    format: str | None = None
    train: Paths
    # Without `dev`, a share of the documents of `train` is held out for it.
    dev: Paths | None = None
    dev_share: Annotated[float, Field(gt=0.0, lt=1.0)] = 0.1
    test: Paths | None = None

    def paths(self):
        """The files of each split that is named, dict of tuples."""
        named = {"train": self.train, "dev": self.dev, "test": self.test}
        return {
            split: (paths,) if isinstance(paths, str) else paths
            for split, paths in named.items()
            if paths is not None
        }


class SkillText(Settings):
    """How text becomes word pieces; a start brings its own."""

    lowercase: bool = True
    vocabulary: str | None = None  # a BERT's vocab.txt; by default one is made
    vocabulary_size: Positive = 8000
    min_count: Positive = 2


class SkillNetSettings(Settings):
    """Arguments of `keras_slu.models.SkillNet`."""

    # "dense": one network for all skills; "mixture": a mixture of experts.
    type: Literal["skill", "dense", "mixture"] = "skill"
    dim: Positive = 128
    num_heads: Positive = 4
    inner_dim: Positive = 512
    num_layers: Positive = 4
    skill_layers: Positive | None = None  # from the top; null for all
    num_experts: Positive | None = None  # as many as skills
    top_k: Positive = 2
    dropout: Rate = 0.1

    @pydantic.model_validator(mode="after")
    def _check(self):
        if self.dim % self.num_heads:
            raise ValueError("Make `dim` a multiple of `num_heads`")
        if (self.skill_layers or 0) > self.num_layers:
            raise ValueError("Make `skill_layers` at most `num_layers`")
        return self


class SkillTraining(Training):
    """How a SkillNet is trained."""

    optimizer: Literal["radam", "adam", "adamw"] = "adam"

    @pydantic.model_validator(mode="after")
    def _check_ours(self):
        for name in NOT_OURS:
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"`{name}` is not for skills: leave it out")
        return self


class SkillRecipe(BaseRecipe):
    """Everything that the training of a SkillNet needs."""

    task: Literal["skills"]
    skills: Annotated[tuple[Name, ...], Field(min_length=1)]
    data: Annotated[dict[Name, SkillTaskSettings], Field(min_length=1)]
    # How often a task is sampled: by the number of its examples to this power.
    sampling: Annotated[float, Field(ge=0.0)] = 1.0
    max_pieces: Annotated[int, Field(ge=8)] = 128  # of a row
    text: SkillText = SkillText()
    # A finished run to start from. Its skills go on, others begin as a copy of
    # `start_skill`; heads go on where a task has the name and labels that it had.
    start: str | None = None
    start_skill: Name = "s7"
    # Whether the start's other tasks stay in the model.
    keep_tasks: bool = False
    # A BERT to start from, in place of a run.
    bert: EncoderSettings | None = None
    # Skills that training moves, with the heads of `data`; null for all there is.
    train_only: tuple[str, ...] | None = None
    model: SkillNetSettings = SkillNetSettings()
    training: SkillTraining = SkillTraining()

    @pydantic.field_validator("skills")
    @classmethod
    def _check_doubles(cls, skills):
        if len(set(skills)) < len(skills):
            raise ValueError("Name each skill once")
        return skills

    @pydantic.model_validator(mode="after")
    def _check_skills(self):
        used = {f"data.{name}.skills": task.skills for name, task in self.data.items()}
        for key, names in {**used, "train_only": self.train_only or ()}.items():
            unknown = [name for name in names if name not in self.skills]
            if unknown:
                raise ValueError(f"`{key}` names {unknown}, not in `skills`")
        if reserved := set(self.data).intersection(RESERVED):
            raise ValueError(f"Name no task {' or '.join(reserved)}")
        return self

    @pydantic.model_validator(mode="after")
    def _check_start(self):
        if self.start is not None and self.bert is not None:
            raise ValueError("Keep one of `start` and `bert`")
        if self.start is None and (self.keep_tasks or self.train_only is not None):
            raise ValueError("`keep_tasks` and `train_only` need a `start`")
        if self.train_only is not None and self.model.type != "skill":
            raise ValueError("`train_only` needs `model.type: skill`")
        for name in OF_ENCODERS if self.bert else ():
            if getattr(self.bert, name) != type(self.bert).model_fields[name].default:
                raise ValueError(f"`bert.{name}` is not for a start: leave it out")
        return self
