"""Finds out what a path holds, and loads a parser from it."""

from pathlib import Path


def load(path):
    """Loads a run or an export as a parser; see `keras_slu.load`."""
    path = Path(path)
    # Each imports what only it needs: an exported model needs no Keras, and a
    # `.tflite` file no TensorFlow.
    if path.suffix == ".tflite":
        from keras_slu.export.litert_parser import load_litert_parser

        return load_litert_parser(path)
    from keras_slu.export.saved_model import newest_version

    exported = newest_version(path)
    if exported is not None:
        from keras_slu.export.saved_model_parser import SavedModelParser

        return SavedModelParser(exported)
    from keras_slu.parsing.parser import load_parser

    return load_parser(path)
