"""SkillNet: what a task uses and moves, other tasks and skills, saving."""

import json
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
import skills
import tensorflow as tf
from checks import array
from checks import arrays
from checks import draw_weights

from keras_slu.models import SkillTask
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces


def fit(model, name, steps=1):
    inputs, targets = skills.batch(name)
    inputs["task"][:] = [task.name for task in model.tasks].index(name)
    return model.fit(inputs, targets, batch_size=4, epochs=steps, verbose=0)


@pytest.fixture(scope="module")
def drawn():
    """A model that no test changes."""
    model = skills.make()
    draw_weights(model)
    return model


def used(model, name):
    """The variables that a task must use, found by where they are."""
    task = skills.TASKS[skills.NAMES.index(name)]
    encoder = [
        model.encoder.embedding,
        model.encoder.segment_embedding,
        model.encoder.norm,
    ]
    for layer in model.encoder.layers:
        encoder += [layer.attention, layer.attention_norm, layer.output_norm]
        encoder += [layer.feed_forward.network(skill) for skill in task.skills]
    parts = [*encoder, model.heads[skills.NAMES.index(name)]]
    if task.kind in ("classification", "pair", "matching"):
        parts.append(model.pooler)
    found = [variable for part in parts for variable in part.trainable_variables]
    return [*found, model.encoder.positions]


@pytest.mark.parametrize("name", skills.NAMES)
def test_gradients_reach_what_the_task_uses_and_nothing_else(drawn, name):
    inputs, targets = skills.batch(name)
    with tf.GradientTape() as tape:
        outputs = drawn(inputs, task=name, training=True)
        loss = tf.reduce_sum(drawn.losses_of(name, inputs, targets, outputs))
    variables = drawn.trainable_variables
    gradients = tape.gradient(loss, [variable.value for variable in variables])
    reached = {
        variable.path
        for variable, gradient in zip(variables, gradients, strict=True)
        if gradient is not None
    }
    expected = {variable.path for variable in used(drawn, name)}
    assert len(expected) < len(variables)
    assert reached == expected
    assert {v.path for v in drawn.trained_variables(name)} == expected
    count = sum(int(np.prod(v.shape)) for v in used(drawn, name))
    assert drawn.active_parameters(name) == count


@pytest.mark.parametrize(
    "optimizer", [keras.optimizers.AdamW, "RectifiedAdam"], ids=["AdamW", "RAdam"]
)
def test_what_is_not_used_does_not_move_a_bit(optimizer):
    if optimizer == "RectifiedAdam":
        from keras_slu.optimizers import RectifiedAdam as optimizer
    model = skills.make()
    model.compile(optimizer=optimizer(0.01, weight_decay=0.1))
    fit(model, "reading")  # leaves moments behind
    moving = {variable.path for variable in model.trained_variables("names")}
    before = {v.path: array(v) for v in model.weights}
    fit(model, "names", steps=10)
    for variable in model.weights:
        moved = (array(variable) != before[variable.path]).any()
        assert moved == (variable.path in moving), variable.path


def test_a_step_holds_the_active_skills_only(drawn):
    sizes = {}
    for active in (("s1",), ("s1", "s7"), tuple(skills.SKILLS)):
        traced = tf.function(
            lambda pieces, active=active: drawn.encoder(pieces, skills=active)
        )
        graph = traced.get_concrete_function(skills.batch("mood")[0]["pieces"]).graph
        products = [op for op in graph.get_operations() if op.type == "MatMul"]
        sizes[len(active)] = len(products)
    layers = len(drawn.encoder.layers)
    assert sizes[2] - sizes[1] == 2 * layers  # two products a network
    assert sizes[5] - sizes[2] == 3 * 2 * layers


def test_one_fit_goes_through_batches_of_all_tasks():
    model = skills.make()
    order = ["mood", "names", "names", "pieces", "reading", "mood"]

    def batches():
        for name in order:
            yield (*skills.batch(name), np.ones(4, "float32"))

    some = next(batches())
    dataset = tf.data.Dataset.from_generator(
        batches,
        output_signature=tf.nest.map_structure(
            lambda a: tf.TensorSpec([None] * a.ndim, a.dtype), some
        ),
    )
    dataset = dataset.apply(tf.data.experimental.assert_cardinality(len(order)))
    model.compile(optimizer=keras.optimizers.SGD(0.0))
    history = model.fit(dataset, verbose=0, shuffle=False)
    losses = [
        array(model.losses_of(name, x, y, model(x, task=name))).mean()
        for name in order
        for x, y in [skills.batch(name)]
    ]
    assert history.history["loss"][0] == pytest.approx(np.mean(losses), rel=1e-5)
    assert model.evaluate(dataset, verbose=0) == pytest.approx(np.mean(losses), 1e-5)
    assert int(model.optimizer.iterations) == len(order)


def test_rows_of_weight_zero_count_nothing():
    inputs, targets = skills.batch("mood")
    model = skills.make()
    model.compile(optimizer=keras.optimizers.SGD(0.1))
    other = skills.make()
    other.compile(optimizer=keras.optimizers.SGD(0.1))
    weights = np.array([1.0, 1.0, 0.0, 1.0], "float32")
    model.fit(inputs, targets, sample_weight=weights, batch_size=4, verbose=0)
    targets = targets.copy()
    targets[2] = 1 - targets[2]
    other.fit(inputs, targets, sample_weight=weights, batch_size=4, verbose=0)
    for one, two in zip(model.get_weights(), other.get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_batch_of_two_tasks_is_refused_before_anything_moves():
    model = skills.make()
    before = model.get_weights()
    inputs, targets = skills.batch("mood")
    inputs["task"][1] = 2
    with pytest.raises(ValueError, match=r"of one task. Received: \['mood', 'same'\]"):
        model.fit(inputs, targets, batch_size=4, verbose=0)
    for one, two in zip(model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(one, two)


def test_the_task_is_named_or_in_the_inputs(drawn):
    inputs, _ = skills.batch("nearest")
    named, found = (
        array(drawn(inputs, **how)["scores"]) for how in ({"task": "nearest"}, {})
    )
    np.testing.assert_array_equal(found, named)
    with pytest.raises(ValueError, match="Received: 'x'"):
        drawn(inputs, task="x")
    with pytest.raises(ValueError, match="In a graph"):
        tf.function(lambda: drawn({k: tf.identity(v) for k, v in inputs.items()}))()


@pytest.mark.parametrize("name", skills.NAMES)
def test_a_slim_model_answers_as_the_full_one(drawn, name):
    slim = drawn.slim(name)
    inputs, _ = skills.batch(name)
    for one, two in zip(
        arrays(slim(inputs)), arrays(drawn(inputs, task=name)), strict=True
    ):
        np.testing.assert_allclose(one, two, atol=1e-6)
    assert slim.count_params() == drawn.active_parameters(name)
    assert set(slim.skills) == set(slim.tasks[0].skills)


def test_a_new_task_leaves_the_others_as_they_are(drawn):
    task = SkillTask("topic", "classification", ("a", "b", "c"), ("s1", "s4", "s7"))
    model = drawn.add_task(task)
    assert model.tasks == [*drawn.tasks, task]
    for name in skills.NAMES:
        inputs, _ = skills.batch(name)
        for one, two in zip(
            arrays(model(inputs, task=name)),
            arrays(drawn(inputs, task=name)),
            strict=True,
        ):
            np.testing.assert_array_equal(one, two)
    assert array(model(inputs, task="topic")["scores"]).shape == (4, 3)


def test_a_new_skill_begins_as_another(drawn):
    model = drawn.add_skill("medical", start="s7", tasks=["mood"])
    assert model.skills == [*skills.SKILLS, "medical"]
    assert model.tasks[0].skills == ("s1", "s7", "medical")
    assert model.tasks[1:] == drawn.tasks[1:]
    for layer in model.encoder.layers:
        new, start = (layer.feed_forward.network(s) for s in ("medical", "s7"))
        for one, two in zip(new.get_weights(), start.get_weights(), strict=True):
            np.testing.assert_array_equal(one, two)
    # Two of three votes for s7, as if it had twice the weight.
    hidden = np.ones((1, 2, 8), "float32")
    layer = model.encoder.layers[0].feed_forward
    votes = [array(layer(hidden, skills=(skill,))) for skill in ("s1", "s7", "s7")]
    found = array(layer(hidden, skills=("s1", "s7", "medical")))
    np.testing.assert_allclose(found, np.mean(votes, axis=0), atol=1e-5)
    with pytest.raises(ValueError, match="Received: 'x'"):
        drawn.add_skill("y", tasks=["x"])
    with pytest.raises(ValueError, match="'y' must have one to start from"):
        drawn.add_skill("y", start="s9")


def test_only_the_new_skill_and_its_head_move():
    model = skills.make().add_skill("s8", tasks=["mood"])
    model.train_only(["s8"], ["mood"])
    model.compile(optimizer=keras.optimizers.AdamW(0.01, weight_decay=0.1))
    before = {v.path: array(v) for v in model.weights}
    fit(model, "mood", steps=3)
    moving = [layer.feed_forward.network("s8") for layer in model.encoder.layers]
    paths = {v.path for part in (*moving, model.heads[0]) for v in part.weights}
    for variable in model.weights:
        moved = (array(variable) != before[variable.path]).any()
        assert moved == (variable.path in paths), variable.path


def test_weights_are_taken_from_another_model(drawn):
    tasks = [skills.TASKS[0], SkillTask("names", "tagging", ("O", "B-y"), ("s2",))]
    model = skills.make(tasks, ["s1", "s2", "s5", "s7"], max_pieces=9)
    fresh = model.heads[1].get_weights()
    model.take_weights(drawn, {"s5": "s7"})
    inputs, _ = skills.batch("mood")
    found, expected = (array(m(inputs, task="mood")["scores"]) for m in (model, drawn))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    # Other labels: the head stays its own.
    for one, two in zip(model.heads[1].get_weights(), fresh, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("kind", ["dense", "mixture"])
def test_the_baselines_compute_the_same_for_all_tasks(kind):
    model = skills.make(kind=kind, num_experts=3)
    assert model.encoder.layers[0].kind == kind
    networks = {
        variable.path
        for layer in model.encoder.layers
        for variable in layer.feed_forward.trainable_variables
    }
    for name in ("mood", "reading"):
        assert networks <= {v.path for v in model.trained_variables(name)}
    inputs, _ = skills.batch("mood")
    slim = model.slim("mood")
    np.testing.assert_allclose(
        array(slim(inputs)["scores"]), array(model(inputs)["scores"]), atol=1e-6
    )


def test_a_task_with_an_unknown_skill_is_refused():
    with pytest.raises(ValueError, match="'names' activates an unknown skill.*'s2'"):
        skills.make(skills=["s1", "s3", "s7"])


def test_it_goes_on_in_a_fresh_process(check_model):
    def make():
        model = skills.make()
        model.pieces = WordPieces([*SPECIAL, "a"])
        return model

    loaded = f"""
assert [task.to_dict() for task in model.tasks] == {[t.to_dict() for t in skills.TASKS]}
assert model.skills == {skills.SKILLS}
assert model.pieces.vocabulary[-1] == "a"
assert model.encoder.max_pieces == {skills.SIZES["max_pieces"]}
"""
    inputs, targets = skills.batch("names")
    check_model(make, inputs, targets, loaded)


@pytest.mark.slow  # a process of its own
def test_two_replicas_give_the_weights_of_one():
    script = Path(__file__).with_name("two_replicas_of_skillnet.py")
    child = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=300
    )
    assert child.returncode == 0, child.stderr
    apart, moved, idle = json.loads(child.stdout.splitlines()[-1])
    assert apart < 1e-5 < moved / 100
    assert idle == 0.0
