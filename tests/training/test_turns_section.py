"""The table of turns and of tags that do not belong together."""

from keras_slu.training.tables import Results
from keras_slu.training.turns_section import turns_section

TITLES = {"with": "With history", "without": "Without"}


def run(uncoordinated, **overall):
    by_turn = {turn[1:]: {"overall_accuracy": part} for turn, part in overall.items()}
    return {"test_uncoordinated_tags": uncoordinated, "test_by_turn": by_turn}


def rows(section):
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


def test_means_over_seeds_by_turn():
    measured = {
        "with": Results({1: run(3, _1=0.5, _2=0.75), 2: run(4, _1=0.25, _2=0.75)}),
        "without": Results({1: run(0, _1=0.5)}),
    }
    assert rows(turns_section(TITLES, measured)) == [
        ["", "uncoordinated", "1", "2"],
        ["---"] * 4,
        ["With history", "3.5", "37.50", "75.00"],
        ["Without", "0", "50.00", ""],
    ]


def test_one_turn_each_has_no_columns_of_turns():
    measured = {"with": Results({1: {"test_uncoordinated_tags": 2}})}
    section = turns_section(TITLES, measured)
    assert rows(section)[-1] == ["With history", "2"]
    assert "turn, " not in section


def test_nothing_to_tell():
    measured = {
        "with": Results({1: {"test_uncoordinated_tags": 0}}),
        "without": Results({1: {}}),
    }
    assert turns_section(TITLES, measured) == ""
    assert turns_section(TITLES, {}) == ""
