"""Encoders of the TensorFlow Model Garden: BERT, ALBERT, MobileBERT, Funnel."""

import dataclasses
import json
import re
from pathlib import Path

import keras
from keras import ops

from keras_slu.errors import InputError

LAYER = re.compile(r"layer_(\d+)")
INSTALL = "Install it: pip install 'keras-slu[models]'."


@keras.saving.register_keras_serializable(package="keras_slu")
class ModelGardenEncoder(keras.layers.Layer):
    """An encoder of `official.nlp` as a Keras 3 layer.

    The Model Garden is made of `tf_keras` layers. Their variables are tracked
    here as Keras variables, so that they train, are saved and are exported
    like all others.

    Args:
        config: dict. A Model Garden `EncoderConfig`, as its YAML files have it:
            `{"type": "bert", "bert": {"hidden_size": 128, ...}}`.
        **kwargs: passed to `keras.layers.Layer`. With `trainable=False` the
            encoder stays as it is.

    Call arguments and returns: as `HubEncoder`.

    Raises:
        InputError: when the Model Garden is not installed, or the config is
            not one of its.

    Example:

    >>> config = {"type": "bert", "bert": {"vocab_size": 30, "hidden_size": 8}}
    >>> encoder = ModelGardenEncoder(config)  # doctest: +SKIP
    """

    def __init__(self, config, **kwargs):
        super().__init__(**kwargs)
        self.encoder_config = config
        self.settings, self._network = _build_network(config)
        self._tf_variables = _variables_of(self._network)
        self._tracked = [
            # Nothing reads the pooler.
            _track(variable, self.trainable and "pooler" not in variable.name)
            for variable in self._tf_variables
        ]
        self.max_pieces = int(getattr(self.settings, "max_position_embeddings", 512))
        if config["type"] == "mobilebert":
            self.max_pieces = self.settings.max_sequence_length - 1
        self.dim = int(self._run(*_example(), training=False).shape[-1])

    def build(self, input_shape=None):
        pass  # the network is

    def call(self, token_ids, padding_mask, training=None):
        return self._run(token_ids, padding_mask, bool(training))

    def _run(self, token_ids, padding_mask, training):
        token_ids = ops.cast(token_ids, "int32")
        pieces = ops.shape(token_ids)[1]
        if self.encoder_config["type"] == "mobilebert":
            # It looks at the next piece without a mask: let that be padding
            # always, so that the features do not depend on how much there is.
            token_ids, padding_mask = (
                ops.pad(part, [[0, 0], [0, 1]]) for part in (token_ids, padding_mask)
            )
        outputs = self._network(
            {
                "input_word_ids": token_ids,
                "input_mask": ops.cast(padding_mask, "int32"),
                "input_type_ids": ops.zeros_like(token_ids),
            },
            training=training,
        )
        return outputs["sequence_output"][:, :pieces]

    def load_checkpoint(self, path):
        """Takes the weights of a TensorFlow checkpoint.

        Args:
            path: path of the checkpoint, without `.index`; of an encoder alone,
                or of a pre-training model that has one.

        Raises:
            InputError: when there is no checkpoint, and when it does not fit
                the config: with the variable and both shapes.
        """
        import tensorflow as tf

        if not Path(f"{path}.index").is_file():
            raise InputError(
                "no such checkpoint: there is no .index file",
                "Name the checkpoint without its .index ending.",
                file=path,
            )
        reader = tf.train.load_checkpoint(str(path))
        keys = list(reader.get_variable_to_shape_map())
        name = "encoder" if any(key.startswith("encoder/") for key in keys) else "model"
        checkpoint = tf.train.Checkpoint(**{name: self._network})
        try:
            status = checkpoint.read(str(path))
            status.expect_partial()
            status.assert_existing_objects_matched()
        except (ValueError, AssertionError) as error:
            raise InputError(
                f"does not fit the config ({str(error).strip().splitlines()[0]})",
                "Take the config that the checkpoint was trained with.",
                file=path,
            ) from None

    def depth_of(self, path):
        """How far a variable is from the output: 0 in the last layer."""
        found = LAYER.search(path)
        if found is None:
            return self.num_layers
        return self.num_layers - 1 - int(found[1])

    @property
    def num_layers(self):
        """How many numbered layers the network has."""
        numbers = [LAYER.search(variable.path) for variable in self._tracked]
        return 1 + max((int(found[1]) for found in numbers if found), default=-1)

    def named_weights(self):
        """Yields `(name, array)` of each variable, as the Model Garden names it."""
        for variable in self._tf_variables:
            yield variable.name.split(":")[0], variable.numpy()

    def compute_output_spec(self, token_ids, padding_mask, training=None):
        return keras.KerasTensor((*token_ids.shape, self.dim), self.compute_dtype)

    def get_config(self):
        return {**super().get_config(), "config": self.encoder_config}


def load_model_garden_encoder(config, checkpoint=None, trainable=True):
    """Builds a Model Garden encoder, with weights where a checkpoint is named.

    Args:
        config: dict, see `ModelGardenEncoder`, or the path of a YAML or JSON
            file that holds one.
        checkpoint: path of a TensorFlow checkpoint. Defaults to `None`,
            random weights.
        trainable: bool. Defaults to `True`.

    Returns:
        `ModelGardenEncoder`.

    Raises:
        InputError: see `ModelGardenEncoder` and its `load_checkpoint`.
    """
    if not isinstance(config, dict):
        config = _read_config(config)
    encoder = ModelGardenEncoder(config, trainable=trainable)
    if checkpoint is not None:
        encoder.load_checkpoint(checkpoint)
    return encoder


def _read_config(path):
    import yaml

    path = Path(path)
    try:
        # JSON is YAML too.
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(error.strerror, "Check the path.", file=path) from None
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(
            f"is not valid YAML ({str(error).splitlines()[0]})",
            "Give a Model Garden encoder config.",
            file=path,
        ) from None
    if not isinstance(content, dict):
        raise InputError(
            "holds no encoder config", "Give a dict with `type`.", file=path
        )
    return content


def _build_network(config):
    """The Model Garden's settings of a config, and its own layer for them, built."""
    try:
        from official.nlp.configs import encoders
    except ImportError as error:
        raise InputError(
            f"the Model Garden cannot be imported ({error})", INSTALL
        ) from None
    try:
        settings = encoders.EncoderConfig(config)
        _check_keys(config, settings)
        network = encoders.build_encoder(settings)
        token_ids, padding_mask = _example()
        network(
            {
                "input_word_ids": token_ids,
                "input_mask": ops.cast(padding_mask, "int32"),
                "input_type_ids": token_ids * 0,
            }
        )
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise InputError(
            f"no Model Garden encoder can be made of {json.dumps(config)[:200]} "
            f"({str(error).strip().splitlines()[0]})",
            "See official/nlp/configs/encoders.py for the keys.",
        ) from None
    return settings.get(), network


def _check_keys(config, settings):
    """Refuses keys that the Model Garden would ignore."""
    kind = config["type"]
    known = {field.name for field in dataclasses.fields(settings.get())}
    unknown = sorted(set(config.get(kind, {})) - known)
    if unknown or set(config) - {"type", kind}:
        raise ValueError(f"unknown keys {unknown or sorted(config)} of {kind}")


def _example():
    return ops.ones((1, 2), "int32"), ops.ones((1, 2), "bool")


def _variables_of(network):
    """Its variables, each once: ALBERT's layers share theirs."""
    found = {variable.ref(): variable for variable in network.variables}
    return list(found.values())


def _track(variable, trainable):
    """A Keras variable that is the given TensorFlow variable."""
    tracked = keras.Variable(
        variable.numpy(),
        dtype=variable.dtype.name,
        trainable=trainable,
        name=variable.name.split(":")[0].replace("/", "."),
    )
    tracked._value = variable
    return tracked
