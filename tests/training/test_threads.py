"""The threads of an operation: one for small models on few cores."""

import os
from types import SimpleNamespace

import pytest
import tiny

from keras_slu.training import threads

JOINT = tiny.make_recipe()
ENCODER = JOINT.model_copy(update={"encoder": SimpleNamespace()})
OTHER = SimpleNamespace(task="skills")


@pytest.mark.parametrize(
    ("recipe", "cores", "chosen", "expected"),
    [
        (JOINT, 2, None, "1"),
        (JOINT, 4, None, "1"),
        (JOINT, 5, None, None),
        (JOINT, 2, "3", "3"),
        (ENCODER, 2, None, None),
        (OTHER, 2, None, None),
    ],
)
def test_small_models_on_few_cores_get_one(
    monkeypatch, recipe, cores, chosen, expected
):
    monkeypatch.setattr(threads, "usable_cores", lambda: cores)
    monkeypatch.setattr(os, "environ", {threads.VARIABLE: chosen} if chosen else {})
    threads.spare_threads(recipe)
    assert os.environ.get(threads.VARIABLE) == expected


def test_one_large_model_is_enough_to_leave_them(monkeypatch):
    monkeypatch.setattr(threads, "usable_cores", lambda: 2)
    monkeypatch.setattr(os, "environ", {})
    threads.spare_threads(JOINT, ENCODER, JOINT)
    assert not os.environ
    threads.spare_threads(JOINT, JOINT)
    assert os.environ == {threads.VARIABLE: "1"}


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="has no affinity")
def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {3, 5, 6})
    assert threads.usable_cores() == 3
