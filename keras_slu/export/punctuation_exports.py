"""Punctuates with an exported SavedModel or `.tflite` file."""

from keras_slu.export.litert_parser import LiteRTModel

DIFFERENT = 0.001  # of the words: where two marks are equally probable, rounding
# may choose either


class SavedModelPunctuator:
    """Punctuates text with an exported SavedModel, as `Punctuator` does.

    Args:
        folder: path of a version's folder.

    Raises:
        InputError: when it is no SavedModel of a punctuator, or is damaged.
    """

    def __init__(self, folder):
        # Imported late: a `.tflite` file needs no TensorFlow.
        from keras_slu.export.saved_model_parser import SavedModelParser

        self._model = SavedModelParser(folder)

    def punctuate(self, text):
        """Puts marks into a text, and keeps those that it has."""
        return self._model.run([text])["text"][0].decode()


class LiteRTPunctuator(LiteRTModel):
    """Punctuates a text with an exported LiteRT model, as `Punctuator` does.

    The model reads one window: words beyond it get no marks. Arguments,
    errors and attributes are those of `LiteRTModel`.
    """

    def punctuate(self, text):
        """Puts marks into a text, and keeps those that it has."""
        inputs, more = self.encode(text)
        answer = {**self.run(inputs), **more}
        signs = self.contract["signs"]
        parts, last = [], 0
        for mark, end in zip(answer["marks"], answer["ends"], strict=True):
            if mark > 0 and end > 0:
                parts += [text[last:end], signs[mark]]
                last = end
        return "".join([*parts, text[last:]])


def check_punctuation(punctuator, exported, texts):
    """Refuses an export that answers otherwise than the run.

    Args:
        punctuator: `Punctuator`, the run's.
        exported: the export's.
        texts: list of str.

    Raises:
        RuntimeError: when more than one word in a thousand is not the same.
    """
    words = different = 0
    for text in texts:
        ours, theirs = (p.punctuate(text).split() for p in (punctuator, exported))
        words += len(ours)
        different += sum(a != b for a, b in zip(ours, theirs, strict=False))
        different += abs(len(ours) - len(theirs))
    if different > DIFFERENT * words:
        raise RuntimeError(
            f"The export gives {different} of {words} words another mark than the run"
        )
