"""Parses with an exported SavedModel."""

import re
from pathlib import Path

import tensorflow as tf

from keras_slu.errors import InputError
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frames import slots_of

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
        try:
            # Kept: its functions do not keep it alive themselves.
            self._loaded = tf.saved_model.load(str(folder))
            self._run = self._loaded.signatures["serving_default"]
            if "text" not in self._run.structured_input_signature[1]:
                raise ValueError("its signature takes no text")
        except Exception as error:  # damaged bytes make it raise nearly anything
            reason = str(error).strip().splitlines()
            raise InputError(
                f"cannot be loaded ({reason[0] if reason else type(error).__name__})",
                "Export the run again.",
                file=Path(folder),
            ) from None

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
            frames += self._parse_batch(texts[start : start + BATCH_SIZE])
        return frames

    def _parse_batch(self, texts):
        # A lone surrogate has no UTF-8, and U+FFFD is as wide.
        encoded = [_SURROGATE.sub("\ufffd", text).encode() for text in texts]
        answers = self._run(text=tf.constant(encoded))
        answers = {name: value.numpy() for name, value in answers.items()}
        return [
            _frame(text, {name: value[row] for name, value in answers.items()})
            for row, text in enumerate(texts)
        ]


def _frame(text, answer):
    intents = zip(
        answer["intents"],
        answer["intent_probabilities"],
        answer["intent_active"],
        strict=True,
    )
    tags = [tag.decode() for tag in answer["tags"]]
    return Frame(
        text,
        tuple(
            Intent(name.decode(), float(probability), bool(active))
            for name, probability, active in intents
        ),
        slots_of(
            text, answer["starts"], answer["ends"], tags, answer["slot_confidence"]
        ),
        is_unknown=bool(answer["is_unknown"]),
        truncated=bool(answer["truncated"]),
    )
