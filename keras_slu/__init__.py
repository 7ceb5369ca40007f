"""From what somebody said to what they meant: Keras 3 layers and models.

Importing this module is light. `import keras_slu.models` registers every
layer and model with Keras, which `keras.models.load_model` needs.
"""

import os

# TensorFlow reads this when it is first imported; the user's setting wins.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

__version__ = "0.1.0"


def load(path):
    """Loads a run folder as a parser that needs nothing else.

    Args:
        path: path of a run folder, as `keras-slu train` leaves it.

    Returns:
        A `keras_slu.parsing.Parser`: `.parse(text)` gives a `Frame`,
        `.parse([text, ...])` a list of them.

    Raises:
        InputError: when the folder is no run or is damaged.
    """
    from keras_slu.parsing.parser import load_parser

    return load_parser(path)
