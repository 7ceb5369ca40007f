"""`keras-slu skills`: what each task costs, and a model with one more skill."""

import json
from dataclasses import asdict

import keras
import numpy as np
import pytest
import skills
import untrained

import keras_slu
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces

# Keras warns of an optimizer that is not loaded.
pytestmark = pytest.mark.filterwarnings("ignore:Skipping variable loading")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("skills") / "run"
    folder.mkdir()
    tasks = [skills.TASKS[0], skills.TASKS[3], skills.TASKS[5]]
    model = skills.make(tasks)
    model.pieces = WordPieces([*SPECIAL, *"abcdefghijklmnopqrstuvwxy"])
    model.save(folder / "model.keras")
    return folder


def load(run):
    return keras.models.load_model(run / "model.keras", compile=False)


def test_show_tells_parameters_and_times(command, run):
    shown = command("skills", "show", run, "--json")
    content, model = json.loads(shown.out), load(run)
    assert content["parameters"] == model.count_params()
    assert content["pieces"] == skills.SIZES["max_pieces"]
    for task in model.tasks:
        of_task = content["tasks"][task.name]
        assert of_task["active_parameters"] == model.active_parameters(task.name)
        assert of_task["skills"] == list(task.skills)
        assert of_task["milliseconds"] > 0.0


def test_show_prints_a_table(command, run, monkeypatch):
    monkeypatch.setattr(
        "keras_slu.cli.skill_times.task_milliseconds", lambda *case: 12.345
    )
    shown = command("skills", "show", run)
    assert shown.code == 0, shown.err
    text = shown.out.decode()
    assert all(name in text for name in ("mood", "nearest", "ranking", "12.3"))


def test_add_writes_a_model_that_starts_from_a_skill(command, run, tmp_path):
    output = tmp_path / "medical"
    added = command(
        "skills", "add", run, "medical", "--from", "s2", "--task", "mood",
        "--output", output,
    )  # fmt: skip
    assert added.code == 0, added.err
    model, before = load(output), load(run)
    assert model.skills == [*before.skills, "medical"]
    assert model.tasks[0].skills == ("s1", "s7", "medical")
    assert model.tasks[1:] == before.tasks[1:]
    for layer, old in zip(model.encoder.layers, before.encoder.layers, strict=True):
        new = layer.feed_forward.network("medical").get_weights()
        for one, two in zip(
            new, old.feed_forward.network("s2").get_weights(), strict=True
        ):
            np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    "arguments, told",
    [
        (["s1"], "'s1' cannot name a new skill"),
        (["a/b"], "'a/b' cannot name a new skill"),
        (["s8", "--from", "s9"], "has no 's9'"),
        (["s8", "--task", "poetry"], "has no 'poetry'"),
    ],
)
def test_names_that_do_not_fit_are_refused(
    command, refused, run, tmp_path, arguments, told
):
    output = tmp_path / "new"
    result = command("skills", "add", run, *arguments, "--output", output)
    refused(result, told)
    assert not output.exists()


def test_a_folder_with_something_in_it_is_refused(command, refused, run):
    result = command("skills", "add", run, "s8", "--output", run)
    refused(result, run, "is not an empty folder")


def test_a_run_of_another_task_is_refused(command, refused, tmp_path):
    untrained.make_model().save(tmp_path / "model.keras")
    refused(command("skills", "show", tmp_path), tmp_path, "is no run of skills")


@pytest.mark.parametrize("task, texts", [("mood", ["a b"]), ("nearest", ["a", "c d"])])
def test_answers_are_json(command, run, task, texts):
    told = command("skills", "answer", run, task, *texts)
    expected = asdict(keras_slu.load(run).answer(task, *texts))
    assert json.loads(told.out) == json.loads(json.dumps(expected))


def test_texts_that_a_task_does_not_take(command, refused, run):
    refused(command("skills", "answer", run, "mood", "a", "b"), "mood", "single")
