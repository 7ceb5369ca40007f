"""An exported SavedModel, loaded to answer predict calls."""

from pathlib import Path
from tempfile import TemporaryDirectory

import tensorflow as tf
from google.protobuf import json_format
from tensorflow.core.protobuf import saved_model_pb2

from keras_slu.errors import InputError
from keras_slu.export.saved_model import export_saved_model
from keras_slu.export.saved_model import newest_version
from keras_slu.serving.rest import RestError
from keras_slu.serving.rest import read_inputs
from keras_slu.serving.rest import read_request
from keras_slu.serving.rest import write_answer

MAX_ROWS = 32  # of 128 tokens each, HAN takes 2 GB and some seconds


class ServedModel:
    """The signatures of one version of an export.

    Args:
        folder: path of the version, which is not needed afterwards.

    Attributes:
        version: int. The folder's name; 1 when that is no number.
        metadata: dict. The signatures, as TF Serving's metadata call has them.

    Raises:
        InputError: a folder that holds no such model.
    """

    def __init__(self, folder):
        folder = Path(folder)
        name = folder.resolve().name
        self.version = int(name) if name.isdecimal() else 1
        try:
            self.metadata = _signatures(folder / "saved_model.pb")
            # The signatures work only as long as what was loaded is alive.
            self._loaded = tf.saved_model.load(str(folder))
            self._signatures = dict(self._loaded.signatures)
            self.answer(b'{"instances": ["the first call takes longer"]}')
        except Exception as error:  # damaged bytes make TensorFlow raise anything
            reason = str(error).strip().splitlines()
            raise InputError(
                f"cannot be served ({reason[0] if reason else type(error).__name__})",
                "Export the run again.",
                file=folder,
            ) from None

    def answer(self, body):
        """Answers one predict call.

        Args:
            body: bytes of its JSON.

        Returns:
            str of JSON.

        Raises:
            RestError: what the client has to be told.
        """
        name, form, values = read_request(body)
        if name not in self._signatures:
            raise RestError(
                400, f'Serving signature name: "{name}" not found in signature def'
            )
        signature = self._signatures[name]
        tensors = signature.structured_input_signature[1]
        inputs = read_inputs(
            form, values, {k: _array_spec(spec) for k, spec in tensors.items()}
        )
        rows = max(len(array) for array in inputs.values())
        if rows > MAX_ROWS:
            raise RestError(400, f"{rows} instances are more than {MAX_ROWS}")
        try:
            outputs = signature(
                **{k: tf.constant(v, tensors[k].dtype) for k, v in inputs.items()}
            )
        except tf.errors.InvalidArgumentError as error:
            raise RestError(400, error.message) from None
        return write_answer(form, {k: v.numpy() for k, v in outputs.items()})


def _array_spec(spec):
    """The `(dtype, rank)` that `read_inputs` takes."""
    dtype = object if spec.dtype == tf.string else spec.dtype.name
    return dtype, spec.shape.rank


def _signatures(path):
    """The signatures in `saved_model.pb`, in the JSON of TF Serving."""
    model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    return {
        name: json_format.MessageToDict(
            signature,
            preserving_proto_field_name=True,
            always_print_fields_with_no_presence=True,
        )
        for name, signature in model.meta_graphs[0].signature_def.items()
    }


def load_served(source, name):
    """Loads a run or an export to be served.

    Args:
        source: path of a run, which is exported for this; of an exported
            version; or of the folder of versions, of which the highest is
            taken, as TF Serving does. It is not needed afterwards.
        name: str. The model's name.

    Returns:
        `ServedModel`.

    Raises:
        InputError: when it is none of these, or is damaged.
    """
    if (Path(source) / "model.keras").is_file():
        with TemporaryDirectory() as folder:
            return ServedModel(export_saved_model(source, folder, name=name))
    folder = newest_version(source)
    if folder is None:
        raise InputError(
            "is no run and no export",
            "Name a folder that `keras-slu train` or `keras-slu export` made.",
            file=source,
        )
    return ServedModel(folder)
