"""`RESULTS.md`: which figure stands in which cell."""

import made_training
import pytest

from keras_slu.training.results_page import write_results_page
from keras_slu.training.tables import row_recipe


@pytest.fixture
def folder(tmp_path):
    return made_training.write_training(tmp_path)


def page_of(folder):
    write_results_page(folder)
    return (folder / "RESULTS.md").read_text()


def cells(page, title, data="SNIPS"):
    """The cells of a row, in a data set's section."""
    section = page.partition(f"### {data}\n")[2].partition("###")[0]
    [line] = [line for line in section.splitlines() if line.startswith(f"| {title} |")]
    return [cell.strip() for cell in line.split("|")[2:-1]]


def test_rows_without_results_show_what_was_published_alone(folder):
    page = page_of(folder)
    assert cells(page, "Higher order") == ["96.18 / 99.12 / 91.80"] + [""] * 9
    assert cells(page, "Higher order", "ATIS") == [
        "96.1 / 98.0 / 88.0",
        "94.6 / 97.9 / 87.1",
        *[""] * 8,
    ]
    assert cells(page, "LSTM") == [""] * 10
    assert "minus" not in page


def test_a_row_of_three_seeds(folder):
    for seed, overall in enumerate((0.8, 0.82, 0.84), 1):
        made_training.write_made(
            folder, "higher-snips", seed, overall, epochs=6 + seed, cores=2 * seed
        )
    digest = row_recipe(folder, "higher", "snips")[0].digest()
    page = page_of(folder)
    assert cells(page, "Higher order") == [
        "96.18 / 99.12 / 91.80",
        "",
        "90.00 ± 0.00 / 95.00 ± 0.00 / 82.00 ± 2.00",
        "91.00 ± 0.00",
        "3",
        "12,345",
        "8",
        "36",
        "2, 4, 6",
        f"higher-snips `{digest}`",
    ]
    assert cells(page, "Higher order", "ATIS")[2] == ""


def test_one_seed_is_a_first_look(folder):
    made_training.write_made(folder, "lstm-snips")
    row = cells(page_of(folder), "LSTM")
    assert row[2:5] == ["90.00 / 95.00 / 80.00", "91.00", "1, first look"]


def test_an_older_recipe_is_marked(folder):
    made_training.write_made(folder, "lstm-snips", recipe_hash="0123")
    row = cells(page_of(folder), "LSTM")
    assert row[4] == "1, first look, of an older recipe"
    assert row[-1] == "lstm-snips `0123`"


def test_the_difference_is_paired_over_common_seeds(folder):
    for seed, overall in ((1, 0.80), (2, 0.70), (3, 0.75), (4, 0.99)):
        made_training.write_made(folder, "higher-snips", seed, overall)
    for seed, overall in ((1, 0.79), (2, 0.71), (3, 0.72), (5, 0.01)):
        made_training.write_made(folder, "first-snips", seed, overall)
    page = page_of(folder)
    assert cells(page, "Higher order - First order") == [
        "+0.00 ± 0.00",
        "+0.00 ± 0.00",
        "+1.00 ± 2.00",
        "3",
        "2 of 3",
    ]


@pytest.mark.parametrize("other", [None, 2])
def test_without_a_common_seed_there_is_no_difference(folder, other):
    made_training.write_made(folder, "higher-snips", 1)
    if other:
        made_training.write_made(folder, "first-snips", other)
    assert "minus" not in page_of(folder)


def test_a_difference_with_an_older_recipe_says_so(folder):
    made_training.write_made(folder, "higher-snips")
    made_training.write_made(folder, "first-snips", recipe_hash="older")
    row = cells(page_of(folder), "Higher order - First order")
    assert row[3] == "1, first look, of an older recipe"


def test_the_exact_string_and_a_near_majority_are_told_where_they_matter(folder):
    path = made_training.write_made(folder, "lstm-snips")
    assert "exact string" not in page_of(folder)
    assert "majority" not in page_of(folder)
    made_training.edit_result(
        path, intent_accuracy_exact_string=0.94, overall_accuracy=0.2
    )
    page = page_of(folder)
    assert "LSTM: intent accuracy by exact string 94.00." in page
    assert "LSTM: overall of the majority 10.00." in page
