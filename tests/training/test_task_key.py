"""Which kind of recipe a file holds is its own key to say."""

import pytest

from keras_slu.errors import InputError
from keras_slu.training.recipe import Recipe
from keras_slu.training.recipe import load_recipe

LEAST = "name: least\ndata: {train: a, dev: b}\n"


def test_a_recipe_is_of_a_joint_model_unless_it_says_otherwise(tmp_path):
    path = tmp_path / "recipe.yaml"
    for text in (LEAST, "task: joint\n" + LEAST):
        path.write_text(text)
        assert type(load_recipe(path)[0]) is Recipe


@pytest.mark.parametrize("task", ["jiont", "3", "[joint]", "{a: b}", "null"])
def test_an_unknown_task_is_refused_with_its_line(tmp_path, task):
    path = tmp_path / "recipe.yaml"
    path.write_text(f"{LEAST}task: {task}\n")
    with pytest.raises(InputError, match="`task` cannot be") as error:
        load_recipe(path)
    assert error.value.line == 3
