"""A recipe: one YAML file that says all there is to say of a training."""

from pathlib import Path
from reprlib import repr as short
from typing import Literal

import pydantic
import yaml

from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.training.base_recipe import BaseRecipe
from keras_slu.training.base_recipe import Text
from keras_slu.training.encoder_settings import EncoderSettings
from keras_slu.training.encoder_settings import check_decay
from keras_slu.training.model_settings import WITH_ENCODER
from keras_slu.training.model_settings import HANSettings
from keras_slu.training.model_settings import ModelSettings
from keras_slu.training.punctuation_recipe import PunctuationRecipe
from keras_slu.training.settings import AboveZero
from keras_slu.training.settings import Settings
from keras_slu.training.skill_recipe import SkillRecipe
from keras_slu.training.translation_recipe import TranslationRecipe


class Data(Settings):
    """Where the utterances are, relative to the recipe file."""

    train: str
    dev: str
    test: str | None = None


class Distillation(Settings):
    """What a finished run teaches: how probable it finds each label."""

    teacher: str  # a run on the same data, relative to the recipe file
    weight: AboveZero = 1.0  # beside the labels' own, which is 1


class Recipe(BaseRecipe):
    """Everything that the training of a joint model needs."""

    task: Literal["joint"] = "joint"
    start: str | None = None  # a finished run to go on from, with new labels
    data: Data
    # Utterances with one of these are left out of all data: what is unknown in
    # an experiment with unknown intents.
    leave_out_intents: tuple[str, ...] = ()
    # What to do with utterances of which a slot begins or ends inside a token:
    # the run's metrics.json counts those left out.
    misaligned_slots: Literal["refuse", "leave_out"] = "refuse"
    # Take the types of dialogue acts for the intents, where data have them.
    acts_as_intents: bool = False
    # A finished run, whose own results training then shows as those of earlier
    # turns; null for the gold ones.
    history: str | None = None
    distillation: Distillation | None = None
    text: Text = Text()
    encoder: EncoderSettings | None = None  # in place of embedding and BiLSTM
    model: ModelSettings = HANSettings()

    @property
    def has_static_vectors(self):
        vectors = self.text.word_vectors
        return vectors is not None and vectors.use == "static"

    @pydantic.model_validator(mode="after")
    def _check_encoder(self):
        takes = self.model.type in WITH_ENCODER
        if self.encoder is None:
            if self.model.type == "joint_bert":
                raise ValueError("`model.type: joint_bert` needs an `encoder`")
            return self
        if not takes:
            raise ValueError(f"`encoder` is for the models {', '.join(WITH_ENCODER)}")
        if self.text.word_vectors is not None or self.text.longest_ending:
            raise ValueError(
                "An `encoder` takes the place of `text.word_vectors`, and knows words "
                "by pieces, not by `text.longest_ending`"
            )
        if self.start is not None:
            raise ValueError("A model with an `encoder` cannot `start` from a run")
        check_decay(self.training)
        return self

    @pydantic.model_validator(mode="after")
    def _check_history(self):
        if self.history is not None and not getattr(self.model, "max_history", 0):
            raise ValueError("`history` is for models that take one, such as sha_lrt")
        return self

    @pydantic.model_validator(mode="after")
    def _check_distillation(self):
        if self.distillation is None:
            return self
        if getattr(self.model, "max_history", 0):
            raise ValueError("`distillation` is for models that take no history")
        if self.start is not None:
            raise ValueError("Keep one of `start` and `distillation`")
        return self

    @pydantic.model_validator(mode="after")
    def _check_channels(self):
        drops = getattr(self.model, "channel_dropout", 0.0)  # not all have channels
        if drops and not self.has_static_vectors:
            raise ValueError(
                "`model.channel_dropout` is for `text.word_vectors` with `use: static`"
            )
        return self


RECIPES = {
    "joint": Recipe,
    "punctuation": PunctuationRecipe,
    "translation": TranslationRecipe,
    "skills": SkillRecipe,
}


def load_recipe(path):
    """Reads and checks a recipe.

    Args:
        path: path of a YAML file.

    Returns:
        `(recipe, folder)`: the recipe, of the class of its `task`, and the
        folder that its paths are relative to.

    Raises:
        InputError: with file, line and key at fault.
    """
    path = Path(path)
    text = "\n".join(line for _, line in read_lines(path))
    try:
        content = yaml.safe_load(text)
    # A date or a number can be impossible, and brackets nested too deep.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise InputError(
            f"is not valid YAML ({getattr(error, 'problem', None) or error})",
            "Check indentation and colons.",
            file=path,
            line=mark.line + 1 if mark else None,
        ) from None
    if not isinstance(content, dict):
        raise InputError(
            "is no recipe: it holds no keys",
            "Start from `keras-slu init`.",
            file=path,
        )
    task = content.get("task", "joint")
    # Not `in`: YAML may hold what cannot be a key.
    kind = RECIPES.get(task) if isinstance(task, str) else None
    if kind is None:
        raise InputError(
            f"`task` cannot be {_shown(task)}",
            f"Name one of {', '.join(RECIPES)}.",
            file=path,
            line=_line_of(["task"], text),
        )
    try:
        return kind.model_validate(content), path.parent
    except pydantic.ValidationError as error:
        raise _explain(error.errors()[0], text, path) from None


def _explain(fault, text, path):
    """Names the key, its value and its line."""
    keys = [str(key) for key in fault["loc"]]
    value = fault["input"]
    if fault["type"] == "union_tag_invalid":
        keys, value = [*keys, "type"], fault["ctx"]["tag"]
    elif keys[:1] == ["model"] and not _is_in(text, keys[1:2]):
        del keys[1:2]  # the type, which pydantic puts between
    key = ".".join(keys)
    if fault["type"] == "extra_forbidden":
        problem, remedy = f"unknown key `{key}`", "Remove it or correct its spelling."
    elif fault["type"] == "missing":
        problem, remedy = f"the key `{key}` is missing", "Add it."
    elif fault["type"] == "value_error":
        where = f"`{key}`" if keys else "the recipe"
        problem, remedy = f"{where} does not fit together", f"{fault['ctx']['error']}."
    else:
        problem = f"`{key}` cannot be {_shown(value)}"
        remedy = f"{fault['msg']}."
    return InputError(problem, remedy, file=path, line=_line_of(keys, text))


def _is_in(text, keys):
    """Whether the recipe's model has these keys: none or one."""
    model = yaml.safe_load(text)["model"]
    return isinstance(model, dict) and set(keys) <= model.keys()


def _shown(value):
    """A value as a message shows it; aliases can make lists of gigabytes."""
    if isinstance(value, dict):
        return "a group of keys"
    return "a list" if isinstance(value, list) else short(value)


def _line_of(keys, text):
    """The line of the key, or of the nearest key around it."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    line = None
    for key in keys:
        pairs = node.value if isinstance(node, yaml.MappingNode) else []
        found = [(name, value) for name, value in pairs if name.value == key]
        if not found:
            break
        line = found[0][0].start_mark.line + 1
        node = found[0][1]
    return line
