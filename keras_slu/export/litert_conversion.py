"""From a TensorFlow function to the bytes of a LiteRT model."""

from tempfile import TemporaryDirectory

import numpy as np
import tensorflow as tf
from tensorflow.lite.python import schema_py_generated as schema
from tensorflow.python.framework.convert_to_constants import (
    convert_variables_to_constants_v2,
)

from keras_slu.errors import InputError


def convert(function, quantize="none", examples=()):
    """Converts a function to a LiteRT model of builtin operations only.

    Args:
        function: `tf.function` with an input signature of tensors that gives
            a dict of tensors. All names are kept.
        quantize: str. See `export_litert`.
        examples: iterable of dicts of arrays, values of inputs by name that
            `"int8"` measures ranges on; inputs that are missing, all int32, are
            zeros.

    Returns:
        bytes.

    Raises:
        InputError: when LiteRT lacks an operation, naming it.
    """
    # Conversion leaves variables uninitialised without a word: freeze them.
    frozen = convert_variables_to_constants_v2(function.get_concrete_function())
    names = sorted(function.get_concrete_function().structured_outputs)
    specs = function.input_signature

    @tf.function(input_signature=specs)
    def named(*inputs):
        return dict(zip(names, frozen(*inputs), strict=True))

    with TemporaryDirectory() as folder:
        tf.saved_model.save(
            tf.Module(),
            folder,
            {"serving_default": named},
            tf.saved_model.SaveOptions(experimental_custom_gradients=False),
        )
        converter = tf.lite.TFLiteConverter.from_saved_model(folder)
        _quantize(converter, quantize, specs, examples)
        # What has no builtin would end the conversion with a long complaint;
        # as a custom operation it has a name that can be told.
        converter.allow_custom_ops = True
        model = converter.convert()
    foreign = _not_builtin(model)
    if foreign:
        raise InputError(
            f"the model needs operations that LiteRT lacks: {', '.join(foreign)}",
            "Export it as a SavedModel.",
        )
    return model


def _quantize(converter, quantize, specs, examples):
    builtins = tf.lite.OpsSet.TFLITE_BUILTINS
    if quantize != "none":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if quantize == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if quantize == "int8":
        builtins = tf.lite.OpsSet.TFLITE_BUILTINS_INT8
        zeros = {spec.name: np.zeros(spec.shape, np.int32) for spec in specs}
        converter.representative_dataset = lambda: (
            {**zeros, **given} for given in examples
        )
    converter.target_spec.supported_ops = [builtins]


def _not_builtin(model):
    """The names of Flex and custom operations in a model."""
    root = schema.Model.GetRootAs(model)
    codes = [root.OperatorCodes(place) for place in range(root.OperatorCodesLength())]
    return sorted(code.CustomCode().decode() for code in codes if code.CustomCode())
