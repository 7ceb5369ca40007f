"""From text to Frames. `Parser` needs TensorFlow; the Frames do not."""

from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot

__all__ = ["Frame", "Intent", "Parser", "Slot"]


def __getattr__(name):
    if name == "Parser":
        from keras_slu.parsing.parser import Parser

        return Parser
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
