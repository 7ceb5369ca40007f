"""A recipe of skills: what it refuses before anything is read, and what then."""

import pytest
import tiny_skills
import yaml

from keras_slu.errors import InputError
from keras_slu.training.recipe import load_recipe
from keras_slu.training.skill_prepare import prepare
from keras_slu.training.skill_recipe import SkillRecipe


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("skills")
    tiny_skills.write_skills(folder)
    return folder


def load(folder, **more):
    path = folder / "recipe.yaml"
    path.write_text(yaml.safe_dump(tiny_skills.recipe_content(**more)))
    return load_recipe(path)


def of_task(**more):
    return {"moods": {**tiny_skills.tasks()["moods"], **more}}


@pytest.mark.parametrize(
    "more, told",
    [
        (
            {"data": of_task(skills=["s1", "s9"])},
            r"moods.skills` names \['s9'\], not in",
        ),
        ({"data": of_task(skills=[])}, "`data.moods.skills` cannot be a list"),
        ({"data": of_task(kind="entailment")}, "`data.moods.kind` cannot be"),
        ({"data": of_task(tain="x")}, "unknown key `data.moods.tain`"),
        ({"data": {"mean": of_task()["moods"]}}, "Name no task mean"),
        ({"skills": ["s1", "s1"]}, "`skills` does not fit together. Name each skill"),
        ({"train_only": ["s1"]}, "`keep_tasks` and `train_only` need a `start`"),
        ({"train_only": ["s9"], "start": "run"}, r"names \['s9'\], not in `skills`"),
        (
            {"train_only": ["s1"], "start": "run", "model": {"type": "dense"}},
            "`train_only` needs `model.type: skill`",
        ),
        ({"start": "run", "bert": {"preset": "x"}}, "one of `start` and `bert`"),
        ({"bert": {"preset": "x", "layer_decay": 0.9}}, "`bert.layer_decay` is not"),
        ({"model": {"dim": 30, "num_heads": 4}}, "`dim` a multiple of `num_heads`"),
        ({"model": {"num_layers": 2, "skill_layers": 3}}, "`skill_layers` at most"),
        ({"training": {"word_dropout": 0.1}}, "`word_dropout` is not for skills"),
        ({"sampling": -1}, "`sampling` cannot be -1"),
    ],
)
def test_a_faulty_recipe_is_refused(tmp_path, more, told):
    with pytest.raises(InputError, match=told):
        load(tmp_path, **more)


def test_a_task_needs_data(tmp_path):
    with pytest.raises(InputError, match="`data` cannot be"):
        path = tmp_path / "recipe.yaml"
        path.write_text(yaml.safe_dump({**tiny_skills.recipe_content(), "data": {}}))
        load_recipe(path)


@pytest.mark.parametrize(
    "changed, told",
    [
        ({"train": "none.tsv"}, "none.tsv: no such file"),
        ({"kind": "matching"}, "has 1 text, but the kind 'matching' needs 2"),
        ({"kind": "span"}, "moods-train.tsv:1: 'label' where '{'|is expected"),
        ({"format": "squad"}, "'squad' is not for the kind 'classification'"),
        ({"train": "one.tsv"}, "Task 'moods': a classification task has 2 labels"),
        ({"train": "same.tsv", "dev": None}, "task 'moods': of 1 documents a share"),
    ],
)
def test_faulty_data_are_refused(data, changed, told):
    (data / "one.tsv").write_text("text\tlabel\na\t1\nb\t1\n")
    (data / "same.tsv").write_text("text\tlabel\na\t1\na\t0\n")
    recipe = tiny_skills.make_recipe(of_task(**changed))
    with pytest.raises(InputError, match=told):
        prepare(recipe, data)


def test_a_candidate_is_right_or_not(data):
    (data / "bad.tsv").write_text("question\tcandidate\tlabel\na\tb\tyes\n")
    candidates = {**tiny_skills.tasks()["candidates"], "train": "bad.tsv"}
    with pytest.raises(InputError, match="bad.tsv:2: the label 'yes' of a candidate"):
        prepare(tiny_skills.make_recipe({"candidates": candidates}), data)


def test_labels_are_those_of_training(data):
    prepared = prepare(tiny_skills.make_recipe(), data)
    labels = {task.name: task.labels for task in prepared.tasks}
    assert labels == {
        "moods": ("0", "1"),
        "pairs": ("0", "1"),
        "names": ("O", "B-NAME", "I-NAME"),
        "questions": (),
        "candidates": (),
    }
    assert [task.skills for task in prepared.tasks][2] == ("s2", "s7")
    (data / "other.tsv").write_text("text\tlabel\na\t1\nb\t7\n")
    prepared = prepare(tiny_skills.make_recipe(of_task(test="other.tsv")), data)
    rows = prepared.splits["test"]["moods"].rows
    assert [row.targets.tolist() for (row,) in rows] == [[1], [-1]]


def test_pieces_are_of_the_training_texts_alone(data):
    recipe = tiny_skills.make_recipe(of_task())
    pieces = prepare(recipe, data).pieces
    assert "lamp" in pieces.vocabulary and "anna" not in pieces.vocabulary
    (data / "vocab.txt").write_text(
        "".join(f"{p}\n" for p in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a"))
    )
    text = {"vocabulary": "vocab.txt"}
    pieces = prepare(tiny_skills.make_recipe(of_task(), text=text), data).pieces
    assert len(pieces) == 6


def test_a_file_of_another_hash_is_another_recipe():
    recipe = tiny_skills.make_recipe()
    assert isinstance(recipe, SkillRecipe)
    other = tiny_skills.make_recipe(sampling=0.5)
    assert recipe.digest() != other.digest()
