"""Answers the tasks of a SkillNet, from raw text."""

from keras_slu.parsing.skill_answerer import SkillAnswerer
from keras_slu.parsing.skill_texts import check_texts
from keras_slu.parsing.skill_texts import encode_texts
from keras_slu.parsing.skill_texts import result_of


class SkillParser:
    """Answers the tasks of a SkillNet, from raw text.

    Args:
        model: `SkillNet` with `pieces`.

    Attributes:
        tasks: dict of `SkillTask` by name.
    """

    def __init__(self, model):
        self.model = model
        self.tasks = {task.name: task for task in model.tasks}
        self._answerer = SkillAnswerer(model)

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
        found = check_texts(self.tasks, task, texts, seconds)
        examples, truncated = encode_texts(
            found, texts, seconds, self.model.pieces, self.model.encoder.max_pieces
        )
        answers = [[] for _ in texts]
        for place, row, answer in self._answerer.answers(examples):
            answers[place].append((row, answer))
        return [
            result_of(found, example, rows, is_cut, examples.pieces)
            for example, rows, is_cut in zip(
                examples.examples, answers, truncated, strict=True
            )
        ]
