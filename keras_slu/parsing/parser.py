"""From text to Frames."""

import warnings
import zipfile
from contextlib import contextmanager
from pathlib import Path

import keras

import keras_slu.models  # noqa: F401  registers the layers for loading
from keras_slu.data.encoding import encode_words
from keras_slu.data.encoding import tokens_of
from keras_slu.errors import InputError
from keras_slu.models.capsule_transformer import CapsuleTransformer
from keras_slu.models.punctuation_model import PunctuationModel
from keras_slu.models.skillnet import SkillNet
from keras_slu.parsing.answers import Answerer
from keras_slu.parsing.frames import FrameMaker
from keras_slu.parsing.punctuator import Punctuator
from keras_slu.parsing.skill_parser import SkillParser
from keras_slu.parsing.translator import Translator


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
        self._maker = FrameMaker(model.intents, model.tags)

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
        answers = self._answers(tokens, self._answerer.answers)
        return self._frames(texts, tokens, answers)

    def _frames(self, texts, token_rows, answers):
        return [
            self._maker.frame(
                text,
                [token.start for token in tokens],
                [token.end for token in tokens],
                answer,
            )
            for text, tokens, answer in zip(texts, token_rows, answers, strict=True)
        ]

    def frames_of(self, utterances):
        """Parses the texts of utterances, a list of `Frame`."""
        return self.parse([utterance.text for utterance in utterances])

    def answers_of(self, utterances):
        """Gives the model's answers for utterances, from their own tokens.

        Args:
            utterances: list of `Utterance`.

        Returns:
            list of dicts; see `answers`.
        """
        tokenizer = self.model.tokenizer
        return self.answers([tokens_of(u, tokenizer) for u in utterances])

    def answers(self, token_rows):
        """Gives the model's answers for texts that are already tokens.

        Args:
            token_rows: list of sequences of `Token`.

        Returns:
            list of dicts: `intents`, the names of the most probable class;
            `intent_probabilities` `(classes,)`; `tags`, a BIO name for each
            token (`O` for those that were cut); `slot_confidence` `(tokens,)`;
            `is_unknown`; `truncated`.
        """
        return self._named(
            token_rows, self._answers(token_rows, self._answerer.answers)
        )

    def _named(self, token_rows, answers):
        return [
            self._maker.named(answer, len(tokens))
            for answer, tokens in zip(answers, token_rows, strict=True)
        ]

    def _answers(self, token_rows, answer):
        """The answers without names, as `FrameMaker` takes them.

        `answer` makes them of a list of token ids.
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
        answers = answer([ids for ids, _ in encoded])
        for answer, (_, truncated) in zip(answers, encoded, strict=True):
            answer["truncated"] = truncated
        return answers


def make_parser(model):
    """A `Parser`, or a `DialogueParser` for a model that takes a history.

    A `Punctuator` for a punctuation model, a `Translator` for one of translation,
    a `SkillParser` for one of many tasks.
    """
    if isinstance(model, PunctuationModel):
        return Punctuator(model)
    if isinstance(model, CapsuleTransformer):
        return Translator(model)
    if isinstance(model, SkillNet):
        return SkillParser(model)
    if not model.max_history:
        return Parser(model)
    from keras_slu.parsing.dialogue_parser import DialogueParser  # is a Parser

    return DialogueParser(model)


def load_parser(run):
    """Loads a run folder as a `Parser`; see `keras_slu.load`."""
    model = load_model(run)
    with _faults_told(run):
        return make_parser(model)


def load_joint_parser(run):
    """Loads a run of intents and slots as a `Parser`.

    Raises:
        InputError: as `keras_slu.load`, and for a run of another task.
    """
    parser = load_parser(run)
    if not isinstance(parser, Parser):
        raise InputError(
            "is of another task, and parses no utterances",
            "Name a run of intents and slots.",
            file=run,
        )
    return parser


def load_model(run):
    """Loads the model of a finished run.

    Raises:
        InputError: for a folder that is no finished run, and a damaged model.
    """
    path = Path(run) / "model.keras"
    if not path.is_file():
        raise InputError(
            "is no finished run: it has no model.keras",
            "Name a folder that `keras-slu train` made.",
            file=run,
        )
    with _faults_told(run):
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()
        if damaged:
            raise ValueError(f"{damaged} is damaged")
        with warnings.catch_warnings():
            # A parser has no use for the optimizer, whole or not.
            warnings.filterwarnings("ignore", "Skipping variable loading for optimizer")
            return keras.models.load_model(path, compile=False)


@contextmanager
def _faults_told(run):
    """Makes whatever goes wrong with a run's model an `InputError`."""
    try:
        yield
    except InputError:
        raise  # a package is missing
    except Exception as error:  # damaged bytes make Keras raise nearly anything
        reason = str(error).strip().splitlines()
        raise InputError(
            f"cannot be loaded ({reason[0] if reason else type(error).__name__})",
            "Copy the run again, or train again.",
            file=Path(run) / "model.keras",
        ) from None
