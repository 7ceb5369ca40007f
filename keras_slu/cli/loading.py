"""Loads a run of punctuation, and refuses others."""

from keras_slu.errors import InputError


def load_punctuator(run):
    """Loads a run that must punctuate transcripts."""
    import keras_slu

    punctuator = keras_slu.load(run)
    if not hasattr(punctuator, "words"):
        raise InputError(
            "is no run of punctuation",
            "Name one that was trained with `task: punctuation`.",
            file=run,
        )
    return punctuator
