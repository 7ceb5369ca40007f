"""A recipe: one YAML file that says all there is to say of a training."""

import hashlib
import json
from pathlib import Path
from reprlib import repr as short
from typing import Annotated
from typing import Literal

import pydantic
import yaml
from pydantic import Field

from keras_slu.errors import InputError
from keras_slu.files import read_lines
from keras_slu.training.model_settings import HANSettings
from keras_slu.training.model_settings import ModelSettings
from keras_slu.training.settings import AboveZero
from keras_slu.training.settings import Positive
from keras_slu.training.settings import Rate
from keras_slu.training.settings import Settings

MAX_SEED = 2**32 - 1  # NumPy's
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


class Data(Settings):
    """Where the utterances are, relative to the recipe file."""

    train: str
    dev: str
    test: str | None = None


class WordVectors(Settings):
    """Pretrained word vectors in GloVe's text format."""

    path: str
    # Words that training lacks may come up later: "all" keeps their vectors,
    # "training" keeps the model small.
    keep: Literal["all", "training"] = "all"
    # "start": what the trained embedding starts from; "static": a channel of
    # its own beside it, which training leaves alone.
    use: Literal["start", "static"] = "start"


class Text(Settings):
    """How text becomes token ids."""

    # "auto": whitespace for data that come tokenised, else unicode.
    tokenizer: Literal["auto", "unicode", "whitespace"] = "auto"
    lowercase: bool = True
    min_count: Positive = 1
    extra_words: str | None = None  # a file of words to know, one a line
    max_tokens: Positive = 128
    word_vectors: WordVectors | None = None


class Training(Settings):
    """How the model is trained."""

    epochs: Positive = 30
    batch_size: Positive = 32
    optimizer: Literal["radam", "adam", "adamw"] = "radam"
    learning_rate: AboveZero = 0.001
    schedule: Literal["constant", "cosine", "linear"] = "constant"
    warmup_epochs: Annotated[float, Field(ge=0.0)] = 0.0
    weight_decay: Annotated[float, Field(ge=0.0)] = 0.0
    clip_norm: AboveZero | None = 5.0
    word_dropout: Rate = 0.0
    # The share of slots that get, in each epoch, a value from elsewhere.
    slot_exchange: Rate = 0.0
    # Decay of an exponential average of the weights, which is what is scored
    # and kept; null for none.
    weight_averaging: Annotated[float, Field(gt=0.0, lt=1.0)] | None = None
    patience: Positive | None = None  # epochs without a better dev score
    strategy: Literal["auto", "one_device", "mirrored"] = "auto"
    precision: Literal["float32", "mixed_float16", "mixed_bfloat16"] = "float32"


class Recipe(Settings):
    """Everything that a training needs; see `load_recipe`."""

    name: Annotated[str, Field(pattern=NAME)]
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 1
    start: str | None = None  # a finished run to go on from, with new labels
    data: Data
    # Utterances with one of these are left out of all data: what is unknown in
    # an experiment with unknown intents.
    leave_out_intents: tuple[str, ...] = ()
    text: Text = Text()
    model: ModelSettings = HANSettings()
    training: Training = Training()

    @property
    def has_static_vectors(self):
        vectors = self.text.word_vectors
        return vectors is not None and vectors.use == "static"

    @pydantic.model_validator(mode="after")
    def _check_channels(self):
        if self.model.channel_dropout and not self.has_static_vectors:
            raise ValueError(
                "`model.channel_dropout` is for `text.word_vectors` with `use: static`"
            )
        return self

    def digest(self):
        """A short hash of all that shapes the result, except the seed."""
        content = self.model_dump(exclude={"name", "seed"})
        # Keys that are not set and that recipes did not always have leave the
        # hash what it was.
        for key in ("start", "leave_out_intents"):
            if not content[key]:
                del content[key]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[
            :12
        ]


def load_recipe(path):
    """Reads and checks a recipe.

    Args:
        path: path of a YAML file.

    Returns:
        `(recipe, folder)`: the `Recipe`, and the folder that its paths are
        relative to.

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
    try:
        return Recipe.model_validate(content), path.parent
    except pydantic.ValidationError as error:
        raise _explain(error.errors()[0], text, path) from None


def _explain(fault, text, path):
    """Names the key, its value and its line."""
    keys = [str(key) for key in fault["loc"]]
    value = fault["input"]
    if fault["type"] == "union_tag_invalid":
        keys, value = [*keys, "type"], fault["ctx"]["tag"]
    elif keys[:1] == ["model"]:
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
