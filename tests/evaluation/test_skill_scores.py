"""The scores of each kind of task, and what they stand beside."""

import pytest

from keras_slu.data.examples import Answer
from keras_slu.data.examples import Question
from keras_slu.data.examples import TextExample
from keras_slu.data.skill_data import read_examples
from keras_slu.data.skill_task import KINDS
from keras_slu.evaluation.skill_scores import MAIN
from keras_slu.evaluation.skill_scores import label_scores
from keras_slu.evaluation.skill_scores import matching_scores
from keras_slu.evaluation.skill_scores import ranking_scores
from keras_slu.evaluation.skill_scores import span_scores
from keras_slu.evaluation.skill_scores import tag_scores


def test_every_kind_has_a_main_figure():
    assert set(MAIN) == set(KINDS)


def test_an_unseen_gold_label_is_wrong():
    assert label_scores(["x", "a"], ["a", "a"], 2)["accuracy"] == 0.5


def test_matching():
    gold = ["1", "1", "0", "0", "0"]
    assert matching_scores(gold, ["1", "0", "1", "1", "0"], "1") == pytest.approx(
        {
            "examples": 5,
            "accuracy": 0.4,
            "chance": 0.5,
            "majority": 0.6,
            "precision": 1 / 3,
            "recall": 0.5,
            "f1": 0.4,
            "majority_f1": 4 / 7,
        }
    )
    assert matching_scores(["0"], ["0"], "1")["f1"] == 0.0


def test_tags():
    gold = [["B-a", "I-a", "O"], ["B-b"]]
    scores = tag_scores(gold, [["B-a", "I-a", "O"], ["O"]])
    assert (scores["precision"], scores["recall"], scores["f1"]) == (1.0, 0.5, 2 / 3)
    assert scores["token_accuracy"] == 0.75
    # As `conlleval` reads it, an I- may begin a span; strictly it may not.
    scores = tag_scores([["O", "B-a"]], [["O", "I-a"]])
    assert (scores["f1"], scores["f1_strict"]) == (1.0, 0.0)


def test_spans():
    questions = [
        Question("q", "红的。蓝的好的。", (Answer("红", 0), Answer("红的", 0))),
        Question("q", "绿。"),
    ]
    scores = span_scores(questions, ["红", ""])
    assert (scores["exact_match"], scores["f1"]) == (1.0, 1.0)
    # The first sentence is an answer; the second has one of its 4 characters.
    assert scores["majority"] == 0.5
    second = 2 * 0.25 * 0.5 / 0.75
    assert scores["chance"] == pytest.approx((1.0 + second) / 2 / 2)
    assert span_scores(questions, ["", "绿"])["f1"] == 0.0


def test_ranking():
    labels = {"a": "010", "b": "11", "c": "00", "d": "01"}
    examples = [TextExample(q, "", label) for q in labels for label in labels[q]]
    scores = [0.1, 0.9, 0.2, 3.0, 4.0, 1.0, 2.0, 0.5, 0.5]
    assert ranking_scores(examples, scores) == pytest.approx(
        {
            "examples": 3,
            "top_1": 2 / 3,
            "chance": (1 / 3 + 1 + 1 / 2) / 3,
            "majority": 1 / 3,
        }
    )


def test_the_answers_of_cmrc_are_right(shared_data):
    questions = read_examples([shared_data("zh/cmrc2018/trial.json.gz")], "span")
    scores = span_scores(questions, [q.answers[-1].text for q in questions])
    assert scores["exact_match"] == 1.0 and scores["f1"] > 0.995
    assert 0.05 < scores["chance"] < 0.25 and 0.05 < scores["majority"] < 0.3
