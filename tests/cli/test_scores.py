"""Tables of scores for the terminal."""

import pytest

from keras_slu.cli.evaluate import _slug
from keras_slu.cli.scores import print_scores
from keras_slu.evaluation import Labels
from keras_slu.evaluation import score


def rows_of(capsys, columns):
    """The table that is printed: first cell of a row to the others."""
    print_scores(columns)
    lines = [line.strip("┃│ ") for line in capsys.readouterr().out.splitlines()]
    cells = [
        [cell.strip() for cell in line.replace("┃", "│").split("│")] for line in lines
    ]
    return {row[0]: row[1:] for row in cells if len(row) > 1}


def scores_of(*pairs):
    """Scores of utterances of one word, from gold and predicted intents."""
    gold = [Labels(("B-x",), wanted) for wanted, _ in pairs]
    predicted = [Labels(("B-x",), given) for _, given in pairs]
    return score(gold, predicted).to_dict()


A, B = ("a",), ("b",)


def test_scores_stand_side_by_side_in_percent(capsys):
    good = scores_of((A, A), (A, A), (B, B), (B, B))
    bad = scores_of((A, A), (A, A), (B, A), (B, B))
    rows = rows_of(capsys, {"seed": 1, "gold_tokens": good, "raw_text": bad})
    assert rows["overall accuracy"] == ["100.00", "75.00"]
    assert rows["intent accuracy"] == ["100.00", "75.00"]
    assert "intent accuracy, exact string" not in rows


def test_a_score_that_does_not_apply_is_a_dash(capsys):
    tags = scores_of((A, A), (A, A), (B, B), (B, B))
    spans = {name: value for name, value in tags.items() if name != "token_accuracy"}
    rows = rows_of(capsys, {"gold": tags, "raw": spans})
    assert rows["token accuracy"] == ["100.00", "–"]


def test_a_majority_that_is_near_is_shown(capsys):
    # Always saying a gives 3 of 4, as does the answer.
    rows = rows_of(capsys, {"dev": scores_of((A, A), (A, A), (A, B), (B, B))})
    assert rows["intent accuracy"] == ["75.00", "75.00"]
    assert rows["overall accuracy"] == ["75.00", "0.00"]


def test_the_exact_string_is_shown_where_it_differs(capsys):
    both = ("a", "b")
    rows = rows_of(capsys, {"dev": scores_of((both, both[::-1]), (A, A), (B, B))})
    assert rows["intent accuracy"][0] == "100.00"
    assert rows["intent accuracy, exact string"][0] == "66.67"


@pytest.mark.parametrize(
    ("data", "slug"),
    [
        ("data/snips/test", "snips-test"),
        ("../test.jsonl", "test-jsonl"),
        ("embedded:home/dev", "home-dev"),
        ("/a b/c:d", "a-b-c-d"),
    ],
)
def test_a_name_for_the_scores_of_some_data(data, slug):
    assert _slug(data) == slug
