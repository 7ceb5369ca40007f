"""Parses with an exported `.tflite` file. It needs no TensorFlow."""

import json
import zipfile
from pathlib import Path

from keras_slu.errors import InputError
from keras_slu.export.litert_encoders import load_encoder
from keras_slu.parsing.frames import FrameMaker

CONTRACT = "contract.json"  # in the archive at the end of the file


class LiteRTModel:
    """An exported LiteRT model, run on one text at a time.

    One thread at a time may call it.

    Args:
        path: path of a `.tflite` file that `export_litert` wrote.
        num_threads: int. How many threads compute. Defaults to `1`, with
            which models of this size are fastest.

    Raises:
        InputError: when it is no such file or is damaged, or when
            `ai-edge-litert` is missing.

    Attributes:
        contract: dict. The labels and settings, as in the `.json` file.
    """

    def __init__(self, path, num_threads=1):
        path = Path(path)
        try:
            with zipfile.ZipFile(path) as archive:
                self.contract = json.loads(archive.read(CONTRACT))
                self._encoder = self._make_encoder(archive)
            self._maker = self._make_maker()
            self._interpreter = interpreter_class()(str(path), num_threads=num_threads)
            self._interpreter.allocate_tensors()
        except InputError:
            raise
        except Exception as error:  # damaged bytes make it raise nearly anything
            reason = str(error).strip().splitlines()
            raise InputError(
                f"cannot be loaded ({reason[0] if reason else type(error).__name__})",
                "Export the run again with --format litert.",
                file=path,
            ) from None
        runner = self._interpreter.get_signature_runner()
        self._inputs = {
            name: details["index"]
            for name, details in runner.get_input_details().items()
        }
        self._outputs = {
            name: details["index"]
            for name, details in runner.get_output_details().items()
        }

    def _make_encoder(self, archive):
        """What makes inputs of text, with what the file's archive holds."""
        return load_encoder(self.contract, archive)

    def _make_maker(self):
        """What makes answers of the outputs by the contract, or `None`."""
        return None

    def encode(self, text):
        """What the model takes of a text, and what the model does not know of it.

        Returns:
            `(inputs, more)`: a dict of int32 arrays `(1, n)` by the names of the
            inputs; and a dict, `starts` and `ends` for a model that takes token
            ids, of one that takes pieces `truncated` too, else empty.
        """
        return self._encoder(text)

    def run(self, inputs, others=()):
        """Runs the model on what `encode` gave.

        Args:
            inputs: dict of int32 arrays.
            others: dict of the arrays of other inputs, such as the state of a
                dialogue model.

        Returns:
            dict of arrays, as the contract has them, without the batch.
        """
        given = {**inputs, **dict(others)}
        for name, value in given.items():
            self._interpreter.set_tensor(self._inputs[name], value)
        self._interpreter.invoke()
        return {
            name: self._interpreter.get_tensor(index)[0]
            for name, index in self._outputs.items()
        }


class LiteRTParser(LiteRTModel):
    """Parses text with an exported LiteRT model, as `Parser` does with a run.

    Arguments, errors and attributes are those of `LiteRTModel`.

    Example:

    >>> parser = keras_slu.load("tflite/home.tflite")  # doctest: +SKIP
    >>> parser.parse("turn off the kitchen lights").active_intents
    ... # doctest: +SKIP
    ('turn_off',)
    """

    def _make_maker(self):
        return FrameMaker(self.contract["classes"], self.contract["tags"])

    def parse(self, texts):
        """Parses one text or many.

        Args:
            texts: str, or list of str.

        Returns:
            A `Frame`, or a list of them.
        """
        if isinstance(texts, str):
            return self._parse(texts)
        return [self._parse(text) for text in texts]

    def frames_of(self, utterances):
        """Parses the texts of utterances, a list of `Frame`."""
        return self.parse([utterance.text for utterance in utterances])

    def _parse(self, text):
        inputs, more = self.encode(text)
        return self._frame(text, {**self.run(inputs), **more})

    def _frame(self, text, answer):
        return self._maker.frame(text, answer.pop("starts"), answer.pop("ends"), answer)


def load_litert_parser(path):
    """Loads a `.tflite` file as a `LiteRTParser`; see `keras_slu.load`."""
    return LiteRTParser(path)


def interpreter_class():
    """LiteRT's `Interpreter`.

    Raises:
        InputError: when `ai-edge-litert` is not installed.
    """
    try:
        from ai_edge_litert.interpreter import Interpreter
    except ImportError:
        raise InputError(
            "a .tflite file needs the package ai-edge-litert",
            'Install it: pip install "keras-slu[litert]".',
        ) from None
    return Interpreter
