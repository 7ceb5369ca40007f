"""Translates with an exported SavedModel."""

from keras_slu.export.saved_model_parser import SavedModelParser
from keras_slu.export.tensorflow_text import import_tensorflow_text
from keras_slu.parsing.translator import BATCH_SIZE
from keras_slu.parsing.translator import Translation

TOLERANCE = 1e-3


class SavedModelTranslator:
    """Translates text with an exported SavedModel, as `Translator` does.

    Args:
        folder: path of a version's folder.

    Raises:
        InputError: when it is no SavedModel of a translator, or is damaged, or
            TensorFlow Text is missing.
    """

    def __init__(self, folder):
        import_tensorflow_text()
        self._model = SavedModelParser(folder)

    def translate(self, texts):
        """Translates one text or many.

        Args:
            texts: str, or list of str.

        Returns:
            A `Translation`, or a list of them.
        """
        if isinstance(texts, str):
            return self.translate([texts])[0]
        found = []
        for start in range(0, len(texts), BATCH_SIZE):
            answers = self._model.run(texts[start : start + BATCH_SIZE])
            columns = (answers[name].tolist() for name in Translation._fields)
            found += [
                Translation(text.decode(), *others)
                for text, *others in zip(*columns, strict=True)
            ]
        return found


def check_translation(translator, exported, texts):
    """Refuses an export that answers otherwise than the run.

    Scores are compared, and not texts: where two tokens are nearly as
    probable, rounding may choose either.

    Args:
        translator: `Translator`, the run's.
        exported: `SavedModelTranslator`.
        texts: list of str.

    Raises:
        RuntimeError: when a score is not the same.
    """
    pairs = zip(translator.translate(texts), exported.translate(texts), strict=True)
    for ours, theirs in pairs:
        if (
            abs(ours.score - theirs.score) > TOLERANCE
            or ours.truncated != theirs.truncated
        ):
            raise RuntimeError(
                f"The SavedModel answers {theirs} where the run answers {ours}"
            )
