"""The one line that a fault in the user's input is told in."""

from pathlib import Path

import pytest

from keras_slu.errors import InputError


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ({}, "3 words. Give 2."),
        ({"file": "a.txt"}, "a.txt: 3 words. Give 2."),
        ({"file": Path("b/a.txt"), "line": 7}, "b/a.txt:7: 3 words. Give 2."),
        ({"line": 7}, "3 words. Give 2."),  # a line of nothing says nothing
    ],
)
def test_place_problem_and_remedy_make_one_line(place, expected):
    assert str(InputError("3 words", "Give 2.", **place)) == expected


def test_a_problem_that_ends_with_a_full_stop_gets_no_second_one():
    assert str(InputError("it broke.", "Mend it.")) == "it broke. Mend it."


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\u2028", "\x85"])
def test_line_ends_inside_do_not_make_more_lines(end):
    message = str(InputError(f"one{end}two", "Mend it.", file=f"a{end}b"))
    assert len(message.splitlines()) == 1


def test_parts_can_be_read_back():
    error = InputError("it broke", "Mend it.", file=Path("a"), line=3)
    assert (error.problem, error.remedy) == ("it broke", "Mend it.")
    assert (error.file, error.line) == ("a", 3)
