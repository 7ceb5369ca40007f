"""The table of translators in RESULTS.md."""

import json
import shutil
from pathlib import Path

from keras_slu.training.tables import named_recipe
from keras_slu.training.tables import read_table
from keras_slu.training.translation_results import translation_section

TRAINING = Path(__file__).parents[2] / "training"


def write_result(folder, name, seed, bleu, **more):
    recipe, _ = named_recipe(TRAINING, name)
    scores = {"bleu": bleu, "signature": "tok:13a"}
    figures = {
        "recipe_hash": recipe.digest(),
        "parameters": 12345,
        "epochs": 9,
        "seconds_per_epoch": 100.0,
        "seconds_per_step": 0.25,
        "cores": 2,
        "test": {"greedy": scores, "beam_4": {**scores, "bleu": bleu + 1}},
        **more,
    }
    folder.mkdir(exist_ok=True)
    (folder / f"{name}-seed{seed}.json").write_text(json.dumps(figures))


def row(section, name):
    [line] = [line for line in section.splitlines() if f"(`{name}`)" in line]
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_every_row_has_a_recipe_of_its_name():
    for name in read_table(TRAINING, "translation")["rows"]:
        assert named_recipe(TRAINING, name)[0].task == "translation"


def test_a_row_shows_what_is_on_file(tmp_path):
    shutil.copytree(TRAINING / "recipes", tmp_path / "recipes")
    shutil.copy(TRAINING / "translation.yaml", tmp_path)
    alike = {"cross 1": {"heads": 0.2, "capsules": 0.6}, "decoder 1": {"heads": 0.4}}
    results = tmp_path / "results"
    write_result(results, "translation-em-top", 1, 30.0, head_similarity=alike)
    write_result(results, "translation-em-top", 2, 32.0)
    write_result(results, "translation-plain", 1, 29.5, recipe_hash="older")
    section = translation_section(tmp_path)
    assert row(section, "translation-em-top") == [
        "31.00 ± 1.41", "32.00 ± 1.41", "0.300", "0.600", "2", "12,345", "9", "100",
        "0.25",
    ]  # fmt: skip
    assert row(section, "translation-plain")[:5] == [
        "29.50", "30.50", "", "", "1, of an older recipe",
    ]  # fmt: skip
    assert set(row(section, "translation-dynamic-top")) == {""}
    assert "sacrebleu's, `tok:13a`." in section


def test_without_a_table_there_is_no_section(tmp_path):
    assert translation_section(tmp_path) == ""
