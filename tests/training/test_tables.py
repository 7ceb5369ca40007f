"""The folder `training/`: its tables, recipes and results."""

from pathlib import Path

import made_training
import pytest
import yaml

from keras_slu.errors import InputError
from keras_slu.training.tables import Row
from keras_slu.training.tables import load_tables
from keras_slu.training.tables import read_results
from keras_slu.training.tables import row_recipe

OURS = Path(__file__).resolve().parents[2] / "training"


@pytest.fixture
def folder(tmp_path):
    return made_training.write_training(tmp_path / "training")


def test_our_tables_have_the_recipes_of_the_claim():
    tables = load_tables(OURS)
    for table, rows in {
        "han-table-2": ("stack-propagation", "co-interactive", "bilstm", "han"),
        "han-table-3": [row for pair in tables["han-table-3"].differences
                        for row in pair],
    }.items():  # fmt: skip
        for row in rows:
            assert row in tables[table].rows
            for data in tables[table].data:
                assert row_recipe(OURS, row, data) is not None, (row, data)


def test_a_row_of_both_our_tables_has_the_same_figures():
    two, three = (load_tables(OURS)[f"han-table-{n}"].rows for n in (2, 3))
    common = two.keys() & three.keys()
    assert common == {"stack-propagation", "co-interactive", "han"}
    for row in common:
        assert (two[row].paper, two[row].rerun) == (three[row].paper, three[row].rerun)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"differences": [["higher", "lower"]]}, "lower"),
        ({"rows": {"first": {"title": "x", "paper": {"mars": [1, 2, 3]}}}}, "mars"),
        ({"rows": {"first": {"title": "x", "rerun": {"atis": [1, 2]}}}}, "rerun"),
        ({"rows": {"first": {"title": "x", "base": "old"}}}, "settings"),
        ({"figure": {"x": "rate", "lines": {"a": {"mars": 1}}}}, "`figure`.*mars"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_a_faulty_table_is_told(folder, change, told):
    table = {**made_training.TABLES["small"], "differences": [], **change}
    (folder / "tables.yaml").write_text(yaml.safe_dump({"small": table}))
    with pytest.raises(InputError, match=told) as error:
        load_tables(folder)
    assert error.value.file == str(folder / "tables.yaml")


def test_no_tables_and_no_yaml_are_told(folder):
    (folder / "tables.yaml").write_text("small: [")
    with pytest.raises(InputError, match="not valid YAML"):
        load_tables(folder)
    with pytest.raises(InputError, match="no such file") as error:
        load_tables(folder / "elsewhere")
    assert "root of the repository" in str(error.value)


def test_a_row_without_a_file_has_no_recipe(folder):
    assert row_recipe(folder, "old", "snips") is None
    assert row_recipe(folder, "lstm", "snips")[0].name == "lstm-snips"


def test_a_recipe_of_another_name_is_refused(folder):
    path = folder / "recipes" / "lstm-snips.yaml"
    path.write_text(path.read_text().replace("lstm-snips", "gru-snips"))
    with pytest.raises(InputError, match="'gru-snips'"):
        row_recipe(folder, "lstm", "snips")


def test_a_row_may_be_another_ones_recipe_with_other_settings(folder):
    settings = {"training.learning_rate": 0.1, "model.order": "second"}
    row = Row(title="x", base="higher", settings=settings)
    recipe, recipe_folder = row_recipe(folder, "fast", "atis", row)
    base, base_folder = row_recipe(folder, "higher", "atis")
    assert recipe.name == "fast-atis"
    assert (recipe.training.learning_rate, recipe.model.order) == (0.1, "second")
    assert recipe.training.epochs == base.training.epochs == made_training.EPOCHS
    assert recipe_folder == base_folder
    assert recipe.digest() != base.digest()
    assert row_recipe(folder, "fast", "mars", row) is None


def test_settings_that_do_not_fit_are_told(folder):
    row = Row(title="x", base="higher", settings={"training.epochs": 0})
    with pytest.raises(InputError, match="settings of 'fast-atis'.*greater than"):
        row_recipe(folder, "fast", "atis", row)


def test_every_row_of_our_tables_has_a_sound_recipe_or_none():
    names = {}
    for table in load_tables(OURS).values():
        for key, row in table.rows.items():
            for data in table.data:
                found = row_recipe(OURS, key, data, row)
                if found:
                    # One name, one recipe: results are filed by it.
                    names.setdefault(found[0].name, set()).add(found[0].digest())
    assert len(names) > 50
    assert all(len(digests) == 1 for digests in names.values())


def test_results_are_those_of_the_recipe_alone(folder):
    made_training.write_recipe(folder, "lstm-snips-seedless-snips")
    for name, seed in (("lstm-snips", 1), ("lstm-snips", 12), ("lstm-atis", 2)):
        made_training.write_made(folder, name, seed)
    recipe, _ = row_recipe(folder, "lstm", "snips")
    results = read_results(folder, recipe)
    assert sorted(results.by_seed) == [1, 12]
    assert not results.is_older
    assert all(f["recipe"] == "lstm-snips" for f in results.by_seed.values())


def test_results_of_an_older_form_stand_in_until_there_are_new_ones(folder):
    made_training.write_made(folder, "lstm-snips", 1, recipe_hash="eldest")
    for seed in (2, 3):
        made_training.write_made(folder, "lstm-snips", seed, recipe_hash="older")
    recipe, _ = row_recipe(folder, "lstm", "snips")
    results = read_results(folder, recipe)
    assert results.is_older and sorted(results.by_seed) == [2, 3]
    made_training.write_made(folder, "lstm-snips", 1)
    results = read_results(folder, recipe)
    assert not results.is_older and sorted(results.by_seed) == [1]


@pytest.mark.parametrize("content", ["{", "{}", "[]"])
def test_a_damaged_result_is_told(folder, content):
    path = made_training.write_made(folder, "lstm-snips")
    path.write_text(content)
    recipe, _ = row_recipe(folder, "lstm", "snips")
    with pytest.raises(InputError, match="is no result") as error:
        read_results(folder, recipe)
    assert error.value.file == str(path)
