"""TensorFlow Text, which exports of models on sub-words need beside TensorFlow."""

from keras_slu.errors import InputError


def import_tensorflow_text():
    """The module `tensorflow_text`; importing it registers its operations.

    Raises:
        InputError: when it is missing.
    """
    try:
        import tensorflow_text
    except ImportError:
        raise InputError(
            "an export of a model on sub-words needs the package tensorflow-text",
            "Install it: pip install 'keras-slu[text]'.",
        ) from None
    return tensorflow_text
