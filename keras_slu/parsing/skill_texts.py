"""Texts as the tasks of a SkillNet read them. Needs no TensorFlow."""

from keras_slu.data.examples import Question
from keras_slu.data.examples import TextExample
from keras_slu.data.skill_rows import SkillExamples
from keras_slu.data.skill_rows import encode_examples
from keras_slu.data.utterance import Utterance
from keras_slu.errors import InputError
from keras_slu.parsing.skill_results import Similarity
from keras_slu.parsing.skill_results import make_choice
from keras_slu.parsing.skill_results import make_passage
from keras_slu.parsing.skill_results import make_tagged

OF_TWO = ("pair", "matching", "span", "ranking")
# What the two texts of a pair are called.
INPUTS = {"span": ("question", "passage"), "ranking": ("question", "candidate")}


def input_names(task):
    """The names of the texts that a task takes, one or two."""
    if task.kind not in OF_TWO:
        return ("text",)
    return INPUTS.get(task.kind, ("text", "second"))


def device_inputs(task):
    """The names of what a task reads on a device, fields of a `Row`."""
    others = {"tagging": ("words",), "ranking": ("second",), "classification": ()}
    return ("pieces", *others.get(task.kind, ("segments",)))


class AnswersTasks:
    """What answers tasks: `tasks`, a dict of `SkillTask` by name, and `_answers`."""

    def answer(self, task, texts, seconds=None):
        """Answers a task for one text or many.

        Args:
            task: str. The task's name.
            texts: str, or list of str; of a span or a ranking the questions.
            seconds: the other texts of pairs, as many; of a span the passages,
                of a ranking the candidates. Defaults to `None`.

        Returns:
            By the task's kind a `Choice`, a `Tagged`, a `Passage` or a
            `Similarity`; a list of them for a list.

        Raises:
            InputError: for a task that there is not or that takes no text, and
                where second texts are missing or too many.
        """
        if isinstance(texts, str):
            seconds = None if seconds is None else [seconds]
            return self.answer(task, [texts], seconds)[0]
        return self._answers(
            check_texts(self.tasks, task, texts, seconds), texts, seconds
        )

    def _answers(self, task, texts, seconds):
        """The answers of a `SkillTask` to lists of texts that fit it."""
        raise NotImplementedError


def check_texts(tasks, name, texts, seconds):
    """The `SkillTask` of a name, if it takes these texts.

    Raises:
        InputError: see `AnswersTasks.answer`.
    """
    check_task(tasks, name)
    kind = tasks[name].kind
    if (seconds is not None) != (kind in OF_TWO):
        raise InputError(
            f"the task {name!r} is of the kind {kind}",
            "Give it pairs of texts." if kind in OF_TWO else "Give it single texts.",
        )
    if seconds is not None and len(seconds) != len(texts):
        raise InputError(
            f"{len(texts)} texts, but {len(seconds)} to go with them",
            "Give as many of both.",
        )
    return tasks[name]


def answering(tasks):
    """Those of the tasks that answer texts: all but masked language modelling."""
    return [task for task in tasks if task.kind != "masked_pieces"]


def check_task(tasks, name):
    """Refuses the name of a task that there is not, or that answers no texts."""
    names = [task.name for task in answering(tasks.values())]
    if name not in names:
        raise InputError(
            f"there is no task {name!r} that answers texts",
            f"Name one of {', '.join(names)}.",
        )


def encode_texts(task, texts, seconds, pieces, max_pieces):
    """Encodes texts as a task reads them.

    Returns:
        `(examples, truncated)`: `SkillExamples`, and a list of bool.
    """
    if task.kind == "tagging":
        examples = [Utterance(text) for text in texts]
    elif task.kind == "span":
        pairs = zip(texts, seconds, strict=True)
        examples = [Question(text, passage) for text, passage in pairs]
    else:
        pairs = zip(texts, seconds or [None] * len(texts), strict=True)
        examples = [TextExample(text, second, "") for text, second in pairs]
    encoded = [encode_examples([e], task, pieces, max_pieces) for e in examples]
    rows = [one.rows[0] for one in encoded]
    truncated = [bool(one.cut) for one in encoded]
    cut = sum(truncated)
    return SkillExamples(task, examples, rows, cut, pieces, max_pieces), truncated


def result_of(task, example, rows, truncated, pieces):
    """What a task answers to an example.

    Args:
        task: `SkillTask`.
        example: as `encode_texts` made it.
        rows: list of `(row, answer)`, a `Row` and what `SkillNet.decode` gives
            for it; several are windows.
        truncated: bool.
        pieces: `WordPieces`.
    """
    row, answer = rows[0]
    if task.kind == "tagging":
        words = pieces.tokenize(example.text)[: len(row.words)]
        return make_tagged(
            example.text,
            [word.start for word in words],
            [word.end for word in words],
            [task.labels[tag] for tag in answer["tags"][: len(words)]],
            answer["confidence"],
            truncated,
        )
    if task.kind == "span":
        windows = [
            {
                **answer,
                "start": max(row.starts[answer["start"]], 0),
                "end": max(row.ends[answer["end"]], 0),
            }
            for row, answer in rows
        ]
        return make_passage(example.passage, windows, truncated)
    if task.kind == "ranking":
        return Similarity(float(answer["scores"]), truncated)
    return make_choice(task.labels, answer["probabilities"], truncated)
