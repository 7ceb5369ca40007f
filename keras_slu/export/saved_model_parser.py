"""Parses with an exported SavedModel."""

import re
from pathlib import Path

import tensorflow as tf

from keras_slu.errors import InputError
from keras_slu.parsing.frames import frame_of_export

BATCH_SIZE = 64
_SURROGATE = re.compile("[\ud800-\udfff]")


class SavedModelParser:
    """Parses text with an exported SavedModel, as `Parser` does with a run.

    Args:
        folder: path of a version's folder.

    Raises:
        InputError: when it is no SavedModel of a parser, or is damaged.
    """

    def __init__(self, folder):
        # Kept: its functions do not keep it alive themselves.
        self._loaded = load_saved_model(folder, takes="text")
        self._run = self._loaded.signatures["serving_default"]

    def parse(self, texts):
        """Parses one text or many.

        Args:
            texts: str, or list of str.

        Returns:
            A `Frame`, or a list of them.
        """
        if isinstance(texts, str):
            return self.parse([texts])[0]
        frames = []
        for start in range(0, len(texts), BATCH_SIZE):
            batch = texts[start : start + BATCH_SIZE]
            frames += frames_of_export(batch, self.run(batch))
        return frames

    def frames_of(self, utterances):
        """Parses the texts of utterances, a list of `Frame`."""
        return self.parse([utterance.text for utterance in utterances])

    def run(self, texts):
        """Runs `serving_default` on a list of texts.

        Returns:
            dict of arrays, by the names of the outputs; strings are bytes.
        """
        answers = self._run(text=encode_texts(texts))
        return {name: value.numpy() for name, value in answers.items()}


def load_saved_model(folder, takes):
    """Loads a SavedModel whose `serving_default` takes an input of that name.

    Raises:
        InputError: when it is none, or is damaged.
    """
    try:
        loaded = tf.saved_model.load(str(folder))
        signature = loaded.signatures["serving_default"]
        if takes not in signature.structured_input_signature[1]:
            raise ValueError(f"its signature takes no {takes}")
    except Exception as error:  # damaged bytes make it raise nearly anything
        reason = str(error).strip().splitlines()
        raise InputError(
            f"cannot be loaded ({reason[0] if reason else type(error).__name__})",
            "Export the run again.",
            file=Path(folder),
        ) from None
    return loaded


def encode_texts(texts):
    """Texts as a tensor of UTF-8, `(batch,)`."""
    # A lone surrogate has no UTF-8, and U+FFFD is as wide.
    return tf.constant([_SURROGATE.sub("\ufffd", text).encode() for text in texts])


def frames_of_export(texts, answers):
    """Frames of texts, of what a signature gave for them, a dict of arrays."""
    answers = dict(answers)
    for name in ("intents", "tags"):
        answers[name] = [[s.decode() for s in row] for row in answers[name]]
    return [
        frame_of_export(text, {name: value[row] for name, value in answers.items()})
        for row, text in enumerate(texts)
    ]
