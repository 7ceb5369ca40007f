"""Answers the tasks of a SkillNet with its exports."""

from keras_slu.data.skill_task import SkillTask
from keras_slu.export.saved_model_parser import BATCH_SIZE
from keras_slu.export.saved_model_parser import encode_texts
from keras_slu.export.saved_model_parser import load_saved_model
from keras_slu.export.tensorflow_text import import_tensorflow_text
from keras_slu.parsing.skill_results import Choice
from keras_slu.parsing.skill_results import Passage
from keras_slu.parsing.skill_results import Similarity
from keras_slu.parsing.skill_results import make_tagged
from keras_slu.parsing.skill_texts import OF_TWO
from keras_slu.parsing.skill_texts import AnswersTasks
from keras_slu.parsing.skill_texts import answering
from keras_slu.parsing.skill_texts import input_names

TOLERANCE = 1e-3


class SavedModelSkills(AnswersTasks):
    """Answers tasks with an exported SavedModel, as `SkillParser` does with a run.

    Args:
        folder: path of a version's folder.
        contract: dict, what lies beside it in `contract.json`.

    Raises:
        InputError: when it is no SavedModel, or is damaged, or TensorFlow Text is
            missing.

    Attributes:
        tasks: dict of `SkillTask` by name.
    """

    def __init__(self, folder, contract):
        import_tensorflow_text()
        tasks = list(map(SkillTask.from_dict, contract["tasks"]))
        first = answering(tasks)[0]  # whose function is the default
        self._loaded = load_saved_model(folder, takes=input_names(first)[0])
        self.tasks = {task.name: task for task in tasks}

    def _answers(self, task, texts, seconds):
        names = input_names(task)
        given = dict(zip(names, (texts, seconds), strict=False))
        results = []
        for start in range(0, len(texts), BATCH_SIZE):
            part = slice(start, start + BATCH_SIZE)
            answers = self._loaded.signatures[task.name](
                **{name: encode_texts(values[part]) for name, values in given.items()}
            )
            answers = {name: value.numpy() for name, value in answers.items()}
            results += [
                _result(
                    task, text, {name: value[row] for name, value in answers.items()}
                )
                for row, text in enumerate(texts[part])
            ]
        return results


def _result(task, text, answer):
    """What a signature's answer to one text says."""
    if task.kind == "tagging":
        tags = [tag.decode() for tag in answer["tags"]]
        places = answer["starts"], answer["ends"]
        return make_tagged(
            text, *places, tags, answer["confidence"], answer["truncated"]
        )
    truncated = bool(answer["truncated"])
    if task.kind == "span":
        return Passage(
            answer["answer"].decode(),
            int(answer["start"]),
            int(answer["end"]),
            float(answer["probability"]),
            float(answer["no_answer"]),
            truncated,
        )
    if task.kind == "ranking":
        return Similarity(float(answer["score"]), truncated)
    return Choice(
        tuple(label.decode() for label in answer["labels"]),
        tuple(map(float, answer["probabilities"])),
        truncated,
    )


def check_skills(parser, exported, texts):
    """Refuses an export that answers otherwise than the run.

    Probabilities are compared, and not labels: where two are nearly as
    probable, rounding may choose either.

    Args:
        parser: `SkillParser`, the run's.
        exported: what answers as it does.
        texts: list of str. Of pairs they are both sides.

    Raises:
        RuntimeError: when a probability, confidence or score is not the same.
    """
    for name, task in exported.tasks.items():
        if task.kind == "masked_pieces":
            continue
        seconds = texts[::-1] if task.kind in OF_TWO else None
        sides = (one.answer(name, texts, seconds) for one in (parser, exported))
        for ours, theirs in zip(*sides, strict=True):
            if not _agree(ours, theirs):
                raise RuntimeError(
                    f"{name}: the export answers {theirs} where the run answers {ours}"
                )


def _agree(ours, theirs):
    if ours.truncated != theirs.truncated:
        return False
    if isinstance(ours, Choice):
        found = dict(zip(theirs.labels, theirs.probabilities, strict=True))
        pairs = [
            (probability, found[label])
            for label, probability in zip(ours.labels, ours.probabilities, strict=True)
        ]
    elif isinstance(ours, Passage):
        pairs = [(ours.probability, theirs.probability)]
    elif isinstance(ours, Similarity):
        pairs = [(ours.score, theirs.score)]
    else:  # a slot that only one has is one of little confidence
        own, others = (
            {(s.name, s.start, s.end): s.confidence for s in side.slots}
            for side in (ours, theirs)
        )
        pairs = [(own[slot], others[slot]) for slot in own.keys() & others.keys()]
    return all(abs(one - other) < TOLERANCE for one, other in pairs)
