"""What of a run an export holds."""

from keras_slu.errors import InputError
from keras_slu.parsing.parser import load_parser
from keras_slu.parsing.skill_parser import SkillParser
from keras_slu.parsing.skill_texts import check_task


def load_exportable(run, task=None):
    """Loads the parser of a run, slimmed to one task where one is named.

    Args:
        run: path.
        task: str. Of a run of many tasks the one to keep, with its skills only.
            Defaults to `None`, all of them.

    Raises:
        InputError: for a damaged run, and a `task` that it has not.
    """
    parser = load_parser(run)
    if task is None:
        return parser
    if not isinstance(parser, SkillParser):
        raise InputError("the run has one task", "Leave out --task.", file=run)
    check_task(parser.tasks, task)
    return SkillParser(parser.model.slim(task))
