"""What `reproduce` finds to train, in tables of every kind."""

from pathlib import Path

import made_training
import pytest

from keras_slu.errors import InputError
from keras_slu.training.entries import load_entries
from keras_slu.training.skill_results import load_skill_tables

OURS = Path(__file__).parents[2] / "training"


def names(entries):
    return [entry.recipe.name for entry in entries]


def test_a_joint_table_has_its_rows_on_each_data_set(tmp_path):
    folder = made_training.write_training(tmp_path)
    entries = load_entries(folder, "small")
    assert [(entry.row, entry.data) for entry in entries] == [
        (row, data) for row in made_training.ROWS for data in ("snips", "atis")
    ]
    assert names(entries)[0] == "lstm-snips"
    assert {entry.folder for entry in entries} == {folder / "recipes"}


@pytest.mark.parametrize("name", ["punctuation", "translation"])
def test_a_table_of_one_recipe_a_row(name):
    entries = load_entries(OURS, name)
    assert len(entries) > 5
    assert {entry.recipe.task for entry in entries} == {name}
    assert [entry.row for entry in entries] == names(entries)


def test_tables_of_skills_have_each_recipe_once():
    for name, table in load_skill_tables(OURS).items():
        found = names(load_entries(OURS, name))
        assert set(found) == {n for row in table["rows"] for n in row["recipes"]}
        assert len(set(found)) == len(found)


def test_a_row_may_change_settings_of_another_recipe():
    by_name = {e.recipe.name: e.recipe for e in load_entries(OURS, "ablation")}
    whole, without = by_name["skills-zh"], by_name["skills-zh-without-s4"]
    assert set(whole.skills) - set(without.skills) == {"s4"}
    assert whole.training == without.training
    for name, task in without.data.items():
        assert task.skills == tuple(s for s in whole.data[name].skills if s != "s4")


def test_an_unknown_table_is_told_with_those_there_are(tmp_path):
    folder = made_training.write_training(tmp_path)
    with pytest.raises(InputError, match="no table 'big'.*Name one of small\\."):
        load_entries(folder, "big")
    with pytest.raises(InputError, match="han-table-2.*translation, chinese"):
        load_entries(OURS, "big")
