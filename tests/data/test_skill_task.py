"""What a task of a SkillNet may be."""

import json

import pytest

from keras_slu.data.skill_task import SkillTask
from keras_slu.data.skill_task import check_tasks

GOOD = {"name": "t", "kind": "pair", "labels": ("no", "yes"), "skills": ("s1",)}


def test_it_comes_back_from_json():
    task = SkillTask(**GOOD)
    assert SkillTask.from_dict(json.loads(json.dumps(task.to_dict()))) == task


@pytest.mark.parametrize(
    "change, message",
    [
        ({"kind": "poetry"}, "`kind` must be one of .* Received: 'poetry'"),
        ({"skills": ()}, "Task 't': it must have a skill"),
        ({"skills": ("s1", "s1")}, "anything twice"),
        ({"labels": ("no", "no")}, "anything twice"),
        ({"labels": ("no",)}, "2 labels or more"),
        ({"kind": "matching", "labels": ("a", "b", "c")}, "has two labels"),
        ({"kind": "span"}, "a span task has no labels"),
        ({"kind": "tagging", "labels": ()}, "1 labels or more"),
        ({"name": "a/b"}, "Received: 'a/b'"),
        ({"skills": ("医疗",)}, "Received: '医疗'"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        SkillTask(**{**GOOD, **change})


def test_tasks_must_go_together():
    task = SkillTask(**GOOD)
    check_tasks([task], ["s1", "s2"])
    with pytest.raises(ValueError, match="Two tasks are named 't'"):
        check_tasks([task, task], ["s1"])
    with pytest.raises(ValueError, match="'t' activates an unknown skill.*'s1'"):
        check_tasks([task], ["s2"])
