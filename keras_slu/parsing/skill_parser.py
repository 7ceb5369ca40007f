"""Answers the tasks of a SkillNet, from raw text."""

from keras_slu.parsing.skill_answerer import SkillAnswerer
from keras_slu.parsing.skill_texts import AnswersTasks
from keras_slu.parsing.skill_texts import encode_texts
from keras_slu.parsing.skill_texts import result_of


class SkillParser(AnswersTasks):
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

    def _answers(self, task, texts, seconds):
        examples, truncated = encode_texts(
            task, texts, seconds, self.model.pieces, self.model.encoder.max_pieces
        )
        answers = [[] for _ in texts]
        for place, row, answer in self._answerer.answers(examples):
            answers[place].append((row, answer))
        return [
            result_of(task, example, rows, is_cut, examples.pieces)
            for example, rows, is_cut in zip(
                examples.examples, answers, truncated, strict=True
            )
        ]
