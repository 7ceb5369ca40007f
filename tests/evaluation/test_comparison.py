"""Parsers side by side."""

import json

import pytest
from parses import gold
from parses import parsed

from keras_slu.evaluation import score_spans
from keras_slu.evaluation.comparison import compare

UTTERANCES = [
    gold("play jude", "play", ("song", 5, 9)),
    gold("to rome", "go", ("city", 3, 7)),
    gold("stop", "stop"),
    gold("hm", ""),
]
RIGHT = [
    parsed("play jude", "play", ("song", 5, 9, 0.9)),
    parsed("to rome", "go", ("city", 3, 7, 0.9)),
    parsed("stop", "stop"),
    parsed("hm", ""),
]
WORSE = [
    parsed("play jude", "stop", ("song", 5, 9, 0.8)),
    parsed("to rome", "go"),
    parsed("stop", "stop", probability=0.9),
    parsed("hm", "play"),
]
OTHER = [WORSE[0], RIGHT[1], RIGHT[2], parsed("hm", "stop")]


@pytest.fixture(scope="module")
def comparison():
    return compare(UTTERANCES, {"worse": WORSE, "right": RIGHT, "other": OTHER})


def test_it_is_plain_data(comparison):
    assert json.loads(json.dumps(comparison)) == comparison


def test_each_run_has_its_scores(comparison):
    assert list(comparison["runs"]) == ["worse", "right", "other"]
    for name, frames in {"worse": WORSE, "right": RIGHT, "other": OTHER}.items():
        scores = score_spans(UTTERANCES, frames).to_dict()
        assert comparison["runs"][name]["scores"] == scores


def test_the_others_are_tested_against_the_first(comparison):
    right, other = comparison["tests"]
    assert (right["name"], other["name"]) == ("right", "other")
    overall = right["overall_accuracy"]
    assert overall["difference"] == 0.75
    assert (overall["only_first"], overall["only_second"]) == (0, 3)
    assert overall["p_value"] == 0.25  # McNemar: 2 / 2^3
    assert right["intent_accuracy"]["only_second"] == 2
    assert right["slot_f1"]["difference"] == pytest.approx(1 - 2 / 3)
    assert other["overall_accuracy"]["only_second"] == 1


def test_utterances_on_which_they_differ(comparison):
    # "stop" means the same to all, whatever its probability.
    texts = [difference["text"] for difference in comparison["differences"]]
    assert texts == ["play jude", "to rome", "hm"]
    answers = comparison["differences"][0]["answers"]
    assert {name: answer["is_right"] for name, answer in answers.items()} == {
        "worse": False,
        "right": True,
        "other": False,
    }
    assert answers["worse"]["intents"] == ["stop"]
    assert answers["right"]["slots"][0]["value"] == "jude"
    assert comparison["differences"][0]["gold"]["intents"] == ["play"]


def test_those_where_not_all_are_wrong_come_first():
    differences = compare(
        [UTTERANCES[3], UTTERANCES[0]],
        {"a": [WORSE[3], WORSE[0]], "b": [OTHER[3], RIGHT[0]]},
    )["differences"]
    assert [difference["text"] for difference in differences] == ["play jude", "hm"]
