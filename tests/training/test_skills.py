"""A tiny training of skills: its figures, its resumption, what goes on from it."""

import json

import keras
import numpy as np
import pytest
import tiny
import tiny_skills

from keras_slu.cli.skill_figures import print_skill_figures
from keras_slu.data.skill_task import KINDS
from keras_slu.errors import InputError
from keras_slu.parsing.parser import load_model
from keras_slu.parsing.skill_answerer import SkillAnswerer
from keras_slu.training.skill_prepare import build_model
from keras_slu.training.skill_prepare import prepare
from keras_slu.training.skill_scoring import score_task
from keras_slu.training.skills import train

trains = pytest.mark.slow  # a minute: `make test-slow`


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("skills")
    tiny_skills.write_skills(folder)
    return folder


@pytest.fixture(scope="module")
def undisturbed(data, tmp_path_factory):
    run = tmp_path_factory.mktemp("runs") / "undisturbed"
    recipe = tiny_skills.make_recipe(training={"epochs": 12})
    return recipe, run, train(recipe, data, run)


def test_a_recipe_becomes_a_model(data):
    recipe = tiny_skills.make_recipe()
    prepared = prepare(recipe, data)
    model = build_model(recipe, prepared)
    assert [task.name for task in model.tasks] == list(recipe.data)
    assert len(prepared.splits["train"]["questions"]) == 54


@trains
def test_it_learns_and_tells(undisturbed, capsys):
    recipe, run, figures = undisturbed
    assert json.loads((run / "metrics.json").read_text()) == figures
    test, dev = figures["test"], figures["dev"]
    assert test["moods"]["accuracy"] > 0.9 and test["names"]["f1"] > 0.9
    assert test["pairs"].keys() >= {"f1", "majority_f1"}
    assert test["questions"].keys() >= {"exact_match", "f1", "chance"}
    assert test["candidates"]["examples"] == 16
    # Without a dev of its own, a tenth of the training questions selects.
    assert dev["questions"]["examples"] == 6
    assert figures["train_examples"]["questions"] == 54
    mains = [dev[n][k] for n, k in (
        ("moods", "accuracy"), ("pairs", "accuracy"), ("names", "f1"),
        ("questions", "f1"), ("candidates", "top_1"),
    )]  # fmt: skip
    assert dev["mean"] == pytest.approx(np.mean(mains))
    best = max(logs["val_mean"] for logs in figures["history"])
    assert dev["mean"] == pytest.approx(best)
    assert figures["active_parameters"]["moods"] < figures["parameters"]
    card = (run / "README.md").read_text()
    assert "| names | tagging | 3 | s2, s7 | 60 |" in card
    print_skill_figures(figures)
    told = capsys.readouterr().out
    assert f"{100 * test['names']['f1']:.2f}" in told and "majority" in told


class Killed(Exception):
    pass


class Kill(keras.callbacks.Callback):
    """Ends the training within an epoch."""

    def on_train_batch_end(self, batch, logs=None):
        if self.model.optimizer.iterations == 80:
            raise Killed


@trains
def test_an_interrupted_training_ends_with_the_same_weights(
    data, undisturbed, tmp_path
):
    recipe, run, figures = undisturbed
    with pytest.raises(Killed):
        train(recipe, data, tmp_path / "run", callbacks=[Kill()])
    assert not (tmp_path / "run" / "metrics.json").exists()
    resumed = train(recipe, data, tmp_path / "run")
    timeless = ("seconds", "seconds_per_epoch")
    for one, other in zip(resumed["history"], figures["history"], strict=True):
        for name in one.keys() - set(timeless):
            assert one[name] == other[name], name
    some, others = tiny.weights_of(tmp_path / "run"), tiny.weights_of(run)
    for name, weight in others.items():
        np.testing.assert_array_equal(some[name], weight, err_msg=name)


@trains
def test_a_saved_model_answers_as_in_training(data, undisturbed):
    recipe, run, figures = undisturbed
    answerer = SkillAnswerer(load_model(run))
    for name, examples in prepare(recipe, data).splits["test"].items():
        scores = score_task(answerer, examples)
        assert scores == pytest.approx(figures["test"][name], abs=1e-5)


@trains
def test_pretraining_is_where_skills_start(data, tmp_path):
    recipe = tiny_skills.make_recipe(
        tiny_skills.pretraining_tasks(), training={"epochs": 1}, sampling=0.0
    )
    figures = train(recipe, data, tmp_path / "pretraining")
    assert figures["dev"].keys() == {"mean", "masked", "next"}
    assert figures["dev"]["masked"]["examples"] > 5 and "test" not in figures
    pretrained = load_model(tmp_path / "pretraining")

    recipe = tiny_skills.make_recipe(
        {"moods": {**tiny_skills.tasks()["moods"], "skills": ["s4", "s7"]}},
        skills=["s1", "s2", "s4", "s7"],
        start=str(tmp_path / "pretraining"),
        training={"epochs": 1, "learning_rate": 1e-12, "weight_decay": 0.0},
    )
    train(recipe, data, tmp_path / "fine-tuned")
    model = load_model(tmp_path / "fine-tuned")
    assert [task.name for task in model.tasks] == ["moods"]
    assert model.pieces.vocabulary == pretrained.pieces.vocabulary
    networks, theirs = (m.encoder.layers[0].feed_forward for m in (model, pretrained))
    for skill, start in {"s1": "s1", "s2": "s2", "s4": "s7", "s7": "s7"}.items():
        for one, other in zip(
            networks.network(skill).get_weights(),
            theirs.network(start).get_weights(),
            strict=True,
        ):
            np.testing.assert_allclose(one, other, atol=1e-8)


@trains
def test_a_new_skill_alone_is_trained(data, undisturbed, tmp_path):
    recipe, run, figures = undisturbed
    new = {**tiny_skills.tasks()["moods"], "skills": ["s1", "s7", "s8"]}
    recipe = tiny_skills.make_recipe(
        {"again": new},
        skills=["s1", "s2", "s3", "s7", "s8"],
        start=str(run),
        keep_tasks=True,
        train_only=["s8"],
        training={"epochs": 1},
    )
    train(recipe, data, tmp_path / "run")
    before, after = load_model(run), load_model(tmp_path / "run")
    assert [task.name for task in after.tasks] == [*tiny_skills.tasks(), "again"]
    for name in tiny_skills.tasks():
        theirs = after.slim(name).get_weights()
        for one, other in zip(before.slim(name).get_weights(), theirs, strict=True):
            np.testing.assert_array_equal(one, other)
    feed_forward = after.encoder.layers[0].feed_forward
    one, other = (feed_forward.network(s).get_weights() for s in ("s7", "s8"))
    assert not np.array_equal(one[0], other[0])


@trains
@pytest.mark.parametrize("kind", ["dense", "mixture"])
def test_the_baselines_train(data, tmp_path, kind):
    recipe = tiny_skills.make_recipe(
        {"moods": tiny_skills.tasks()["moods"]},
        model={"type": kind},
        training={"epochs": 1},
    )
    train(recipe, data, tmp_path / "run")
    assert load_model(tmp_path / "run").encoder.layers[0].kind == kind


def test_every_kind_is_tried_here():
    data = {**tiny_skills.tasks(), **tiny_skills.pretraining_tasks()}
    tried = {task["kind"] for task in data.values()}
    assert tried == set(KINDS)


def start_of_another_width(run):
    return {"start": str(run), "model": {"dim": 16}}


def start_with_other_labels(run):
    return {"start": str(run), "data": {"names": tiny_skills.tasks()["moods"]}}


def start_with_fewer_skills(run):
    data = {"moods": {**tiny_skills.tasks()["moods"], "skills": ["s1", "s7"]}}
    return {
        "start": str(run),
        "data": {"again": data["moods"]},
        "skills": ["s1", "s7"],
        "keep_tasks": True,
    }


def start_without_its_start(run):
    return {"start": str(run), "skills": ["s1", "s2", "s3", "s7", "s9"],
            "start_skill": "s8"}  # fmt: skip


@pytest.mark.parametrize(
    "more, told",
    [
        (start_of_another_width, "dim=32 of the start, dim=16 of the model"),
        (start_with_other_labels, "the task 'names' of the start is of the kind"),
        (start_with_fewer_skills, r"'pairs' of the start has the skills \['s3'\]"),
        (start_without_its_start, "The skill 's9' must have one to start from"),
    ],
)
@trains
def test_a_start_that_does_not_fit_is_refused(data, undisturbed, tmp_path, more, told):
    recipe = tiny_skills.make_recipe(**more(undisturbed[1]))
    with pytest.raises(InputError, match=told):
        train(recipe, data, tmp_path / "run")
    assert not (tmp_path / "run").exists()
