"""From text to Frames."""

import zipfile
from pathlib import Path

import keras
import numpy as np

import keras_slu.models  # noqa: F401  registers the layers for loading
from keras_slu.data.encoding import encode_words
from keras_slu.data.encoding import intent_set
from keras_slu.data.tags import chunks
from keras_slu.errors import InputError
from keras_slu.parsing.answers import Answerer
from keras_slu.parsing.frame import Frame
from keras_slu.parsing.frame import Intent
from keras_slu.parsing.frame import Slot


class Parser:
    """Parses text with a joint model.

    Args:
        model: `JointSLU` with `tokenizer` and `vocabulary`.

    Example:

    >>> parser = keras_slu.load("runs/home")  # doctest: +SKIP
    >>> parser.parse("turn off the kitchen lights").active_intents
    ... # doctest: +SKIP
    ('turn_off',)
    """

    def __init__(self, model):
        if model.tokenizer is None or model.vocabulary is None:
            raise ValueError(
                "A parser's model needs a tokenizer and a vocabulary. "
                "Received: a model without; set `model.tokenizer` and "
                "`model.vocabulary`"
            )
        self.model = model
        self._answerer = Answerer(model)
        self._classes = [intent_set(name) for name in model.intents]
        self._intents = sorted({name for names in self._classes for name in names})
        # (classes, intents): which single intents a class is made of.
        self._members = np.array(
            [[name in names for name in self._intents] for names in self._classes],
            np.float64,
        ).reshape(len(self._classes), len(self._intents))

    def parse(self, texts):
        """Parses one text or many.

        Nothing raises: whatever the text is, it gets a Frame.

        Args:
            texts: str, or list of str.

        Returns:
            A `Frame`, or a list of them.
        """
        if isinstance(texts, str):
            return self.parse([texts])[0]
        tokens = [self.model.tokenizer.tokenize(text) for text in texts]
        answers = self.answers(tokens)
        return [
            self._frame(text, of_text, answer)
            for text, of_text, answer in zip(texts, tokens, answers, strict=True)
        ]

    def answers(self, token_rows):
        """Gives the model's answers for texts that are already tokens.

        Args:
            token_rows: list of sequences of `Token`.

        Returns:
            list of dicts: `intents`, the names of the most probable class;
            `intent_probabilities` `(classes,)`; `tags`, a BIO name for each
            token (`O` for those that were cut); `slot_confidence` `(tokens,)`;
            `truncated`.
        """
        encoded = [
            encode_words(
                [token.text for token in tokens],
                self.model.tokenizer,
                self.model.vocabulary,
                self.model.max_tokens,
            )
            for tokens in token_rows
        ]
        answers = self._answerer.answers([ids for ids, _ in encoded])
        for answer, tokens, (_, truncated) in zip(
            answers, token_rows, encoded, strict=True
        ):
            best = int(answer["intent_probabilities"].argmax())
            answer["intents"] = self._classes[best]
            answer["tags"] = tag_names(answer["tags"], self.model.tags, len(tokens))
            answer["truncated"] = truncated
        return answers

    def _frame(self, text, tokens, answer):
        probabilities = answer["intent_probabilities"] @ self._members
        order = np.argsort(-probabilities, kind="stable")
        intents = [
            Intent(
                name=self._intents[place],
                probability=min(float(probabilities[place]), 1.0),
                active=self._intents[place] in answer["intents"],
            )
            for place in order
        ]
        slots = []
        for name, first, end in chunks(answer["tags"]):
            start, stop = tokens[first].start, tokens[end - 1].end
            confidence = min(float(answer["slot_confidence"][first]), 1.0)
            slots.append(Slot(name, text[start:stop], start, stop, confidence))
        return Frame(text, tuple(intents), tuple(slots), truncated=answer["truncated"])


def tag_names(tag_ids, names, length):
    """BIO names of predicted tag ids, with `O` for tokens beyond the cut."""
    found = [names[tag] for tag in tag_ids[:length]]
    return found + ["O"] * (length - len(found))


def load_parser(run):
    """Loads a run folder as a `Parser`; see `keras_slu.load`."""
    path = Path(run) / "model.keras"
    if not path.is_file():
        raise InputError(
            "is no finished run: it has no model.keras",
            "Name a folder that `keras-slu train` made.",
            file=run,
        )
    try:
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
        if damaged:
            raise ValueError(f"{damaged} is damaged")
        return Parser(keras.models.load_model(path))
    except Exception as error:  # damaged bytes make Keras raise nearly anything
        reason = str(error).strip().splitlines()
        raise InputError(
            f"cannot be loaded ({reason[0] if reason else type(error).__name__})",
            "Copy the run again, or train again.",
            file=path,
        ) from None
