"""Answers a task with an exported `.tflite` file. It needs no TensorFlow."""

from pathlib import Path
from tempfile import TemporaryDirectory

from keras_slu.data.skill_task import SkillTask
from keras_slu.export.litert_encoders import fixed
from keras_slu.export.litert_parser import LiteRTModel
from keras_slu.parsing.skill_texts import AnswersTasks
from keras_slu.parsing.skill_texts import device_inputs
from keras_slu.parsing.skill_texts import encode_texts
from keras_slu.parsing.skill_texts import result_of
from keras_slu.text.word_pieces import WordPieces

PIECES = "pieces.json"  # in the archive at the end of the file


class LiteRTSkills(AnswersTasks, LiteRTModel):
    """Answers the task of a LiteRT model, as `SkillParser` does with a run.

    Arguments, errors and attributes are those of `LiteRTModel`.

    Attributes:
        tasks: dict of the one `SkillTask` by name.
    """

    def _make_encoder(self, archive):
        with TemporaryDirectory() as folder:
            archive.extract(PIECES, folder)
            return WordPieces.load(Path(folder) / PIECES)

    def _make_maker(self):
        [task] = map(SkillTask.from_dict, self.contract["tasks"])
        self.tasks = {task.name: task}

    def _answers(self, task, texts, seconds):
        _, size = self.contract["input"]["shape"]
        pieces = self._encoder
        examples, truncated = encode_texts(task, texts, seconds, pieces, size)
        return [
            result_of(
                task,
                example,
                [(row, self._run_row(task, row, size)) for row in rows],
                is_cut,
                pieces,
            )
            for example, rows, is_cut in zip(
                examples.examples, examples.rows, truncated, strict=True
            )
        ]

    def _run_row(self, task, row, size):
        """What `SkillNet.decode` gives for a row."""
        names = device_inputs(task)
        return self.run({name: fixed(getattr(row, name), size) for name in names})
