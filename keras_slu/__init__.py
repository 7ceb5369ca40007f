"""From what somebody said to what they meant: Keras 3 layers and models.

Importing this module is light. `import keras_slu.models` registers every
layer and model with Keras, which `keras.models.load_model` needs.
"""

import os

# TensorFlow reads this when it is first imported; the user's setting wins.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

__version__ = "0.1.0"


def load(path):
    """Loads a run or an export as a parser that needs nothing else.

    Args:
        path: path of a run folder, as `keras-slu train` leaves it; of an
            exported SavedModel, a version's folder or the model's, of which
            the highest version counts; or of a `.tflite` file.

    Returns:
        A parser: `.parse(text)` gives a `Frame`, `.parse([text, ...])` a list
        of them. That of a run is a `keras_slu.parsing.Parser`. For a
        punctuation run, a `keras_slu.parsing.punctuator.Punctuator`; for a
        translation run, a `keras_slu.parsing.translator.Translator`; for a run of
        many tasks, a `keras_slu.parsing.skill_parser.SkillParser`. Exports answer
        as their run does.

    Raises:
        InputError: when it is none of these, or is damaged.
    """
    from keras_slu.parsing.loading import load as load_any

    return load_any(path)


def pipeline(punctuator, parser):
    """Puts a punctuator before a parser: from a raw transcript to Frames.

    Args:
        punctuator: what `load` gives for a punctuation run.
        parser: what `load` gives for a run or an export that parses.

    Returns:
        `keras_slu.parsing.pipeline.Pipeline`: `.parse(transcript)` gives a
        list of sentences, each with its Frame.
    """
    from keras_slu.parsing.pipeline import Pipeline

    return Pipeline(punctuator, parser)
