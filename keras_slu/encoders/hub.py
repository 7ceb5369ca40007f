"""Pretrained text encoders from keras-hub: presets and local folders."""

from pathlib import Path

import keras
from keras import ops

from keras_slu.errors import InputError

INSTALL = "Install it: pip install 'keras-slu[hub]'."


@keras.saving.register_keras_serializable(package="keras_slu")
class HubEncoder(keras.layers.Layer):
    """A keras-hub text backbone as an encoder of pieces.

    Of a model with encoder and decoder, such as BART, the encoder.

    Args:
        backbone: `keras_hub.models.Backbone` that reads token ids.
        **kwargs: passed to `keras.layers.Layer`. With `trainable=False` the
            backbone stays as it is.

    Call arguments:
        token_ids: int32 tensor `(batch, pieces)`.
        padding_mask: bool tensor `(batch, pieces)`, true at real pieces.
        training: bool.

    Returns:
        float tensor `(batch, pieces, dim)`, the last layer's features; without
        meaning at padding.

    Attributes:
        dim: int. Width of the features.
        max_pieces: int. Longest row that it can read.

    Example:

    >>> encoder = load_hub_encoder("bert_tiny_en_uncased")  # doctest: +SKIP

    Raises:
        ValueError: for a backbone that reads something else.
    """

    def __init__(self, backbone, **kwargs):
        super().__init__(**kwargs)
        self.backbone = backbone
        self._names, self._features = _encoder_parts(backbone)
        # A functional model over the same layers, for the encoder's part alone.
        self._encoder = keras.Model(
            {full: backbone.input[full] for full in self._names.values()},
            self._features,
        )
        self.dim = self._features.shape[-1]
        self.max_pieces = int(getattr(backbone, "max_sequence_length", 512))
        self.backbone.trainable = self.trainable
        for layer in set(backbone.layers) - set(self._encoder.layers):
            layer.trainable = False  # nothing reads them: a pooler, a decoder

    def build(self, input_shape=None):
        pass  # the backbone is

    def call(self, token_ids, padding_mask, training=None):
        inputs = {
            "token_ids": token_ids,
            "padding_mask": ops.cast(padding_mask, "int32"),
            "segment_ids": ops.zeros_like(token_ids),
        }
        inputs = {full: inputs[name] for name, full in self._names.items()}
        return self._encoder(inputs, training=training)

    def depth_of(self, path):
        """How far a variable is from the output: 0 in the last layer."""
        layers = [layer for layer in self.backbone.layers if _is_block(layer)]
        for place, layer in enumerate(reversed(layers)):
            if any(variable.path == path for variable in layer.variables):
                return place
        return len(layers)

    def compute_output_spec(self, token_ids, padding_mask, training=None):
        return keras.KerasTensor((*token_ids.shape, self.dim), self.compute_dtype)

    def get_config(self):
        return {
            **super().get_config(),
            "backbone": keras.saving.serialize_keras_object(self.backbone),
        }

    @classmethod
    def from_config(cls, config):
        backbone = keras.saving.deserialize_keras_object(config.pop("backbone"))
        return cls(backbone, **config)


def load_hub_encoder(preset, trainable=True, dtype=None):
    """Loads a pretrained encoder.

    Args:
        preset: str or path. A preset's name, or a folder that holds one in
            keras-hub's or in Hugging Face's layout.
        trainable: bool. Defaults to `True`.
        dtype: the encoder's dtype policy. Defaults to Keras' own.

    Returns:
        `HubEncoder`.

    Raises:
        InputError: when keras-hub is not installed, when the folder is not
            there or holds no model, and when a preset would have to be
            downloaded and cannot be.
    """
    hub = import_hub()
    backbone = _from_preset(hub.models.Backbone, preset, dtype=dtype)
    return HubEncoder(backbone, trainable=trainable, dtype=dtype)


def load_hub_tokenizer(preset):
    """Loads the tokenizer that belongs to a pretrained encoder.

    Args:
        preset: see `load_hub_encoder`.

    Returns:
        `keras_hub.tokenizers.Tokenizer`.

    Raises:
        InputError: see `load_hub_encoder`.
    """
    hub = import_hub()
    tokenizer = _from_preset(hub.models.Tokenizer, preset)
    # Hugging Face's lower-casing BERT strips accents too, and says so nowhere.
    if getattr(tokenizer, "lowercase", False) and not tokenizer.strip_accents:
        config = {**tokenizer.get_config(), "strip_accents": True}
        config["vocabulary"] = tokenizer.get_vocabulary()
        tokenizer = type(tokenizer).from_config(config)
    return tokenizer


def import_hub():
    """`keras_hub`, or an `InputError` that says how to get it."""
    try:
        import keras_hub
    except ImportError as error:
        raise InputError(f"keras-hub cannot be imported ({error})", INSTALL) from None
    return keras_hub


def _from_preset(kind, preset, **kwargs):
    folder = Path(preset)
    is_folder = folder.exists() or folder.is_absolute() or str(preset).startswith(".")
    if is_folder and not folder.is_dir():
        raise InputError("no such folder", "Check the path.", file=folder)
    try:
        return kind.from_preset(str(preset), **kwargs)
    except ImportError as error:  # safetensors, of a Hugging Face folder
        raise InputError(f"a package is missing ({error})", INSTALL) from None
    except Exception as error:  # whatever a damaged file or the network raises
        reason = str(error).strip().splitlines()
        reason = reason[0] if reason else type(error).__name__
        if is_folder:
            raise InputError(
                f"holds no encoder that keras-hub can read ({reason})",
                "It needs config.json, the weights and the vocabulary.",
                file=folder,
            ) from None
        raise InputError(
            f"the preset {str(preset)!r} cannot be had ({reason})",
            "Without a network, name a local folder that holds it.",
        ) from None


def _encoder_parts(backbone):
    """The encoder's inputs, by our names, and its last features."""
    # Of what was never called, Keras has neither.
    given, output = getattr(backbone, "input", None), getattr(backbone, "output", None)
    names = list(given) if isinstance(given, dict) else []
    prefix = "encoder_" if "encoder_token_ids" in names else ""
    wanted = ("token_ids", "padding_mask", "segment_ids")
    parts = {name: prefix + name for name in wanted if prefix + name in names}
    if isinstance(output, dict):
        output = output.get(f"{prefix}sequence_output")
    if "token_ids" not in parts or output is None:
        raise ValueError(
            "`backbone` must be an encoder of text. Received: "
            f"{type(backbone).__name__} with inputs {names}"
        )
    return parts, output


def _is_block(layer):
    """Whether a layer of a backbone is one of its Transformer layers."""
    return "Transformer" in type(layer).__name__ and "Encoder" in type(layer).__name__
