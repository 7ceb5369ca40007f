"""SQuAD's JSON: questions, passages, answers."""

import json

import pytest
from reading import read_bytes

from keras_slu.data.examples import Answer
from keras_slu.data.examples import Question
from keras_slu.data.squad_json import iter_squad

PASSAGE = "北京在中国。"


def squad(qas, context=PASSAGE):
    paragraph = {"context": context, "qas": qas}
    article = {"title": "x", "paragraphs": [paragraph, paragraph], "id": 1}
    return json.dumps({"version": "1", "data": [article, article]})


def test_questions(tmp_path):
    qas = [
        {"question": "哪里？", "answers": [{"text": "中国", "answer_start": 3}] * 2},
        {"question": "谁？", "is_impossible": True, "answers": [], "id": "q"},
    ]
    questions, told = read_bytes(iter_squad, tmp_path / "a.json", squad(qas))
    assert questions == 4 * [
        Question("哪里？", PASSAGE, (Answer("中国", 3),) * 2),
        Question("谁？", PASSAGE),
    ]
    assert not told


@pytest.mark.parametrize(
    "qas, problem",
    [
        ([{"question": "", "id": "Q", "answers": [{"text": "中", "answer_start": 4}]}],
         "question 'Q': the answer '中' is not in the passage at 4, but '国'"),
        ([{"question": "q", "answers": [{"text": "。", "answer_start": -1}]}],
         "question 'q': the answer '。' is not in the passage at -1"),
        ([{"question": "q", "answers": [{"text": "", "answer_start": 0}]}],
         "question 'q': the answer '' is not in the passage"),
        ([{"question": "q", "answers": [{"text": "中"}]}],
         'an answer without "answer_start"'),
        ([{"answers": []}], 'a question without "question"'),
        (["q"], "a question is 'q'"),
        ({}, '"qas" is {}'),
    ],
)  # fmt: skip
def test_faults(tmp_path, qas, problem):
    questions, told = read_bytes(iter_squad, tmp_path / "a.json", squad(qas))
    assert not questions
    assert len(told) == 4 and told[0][:2] == ("error", 1)
    assert told[0][2].startswith(problem)


@pytest.mark.parametrize(
    "content, problem",
    [
        ('{"data": [{"paragraphs": []}]}', "holds no example"),
        ('{"version": "1"}', "holds no example"),
        ('{"data": [{"paragraphs": [{"context": "a"', "invalid JSON"),
        ('{"data": [{"paragraphs": [7]}]}', "a paragraph is 7"),
        ("[]", "'[]' where '{'"),
        (squad([], context=" "), "the text is empty"),
    ],
)
def test_documents_of_another_form(tmp_path, content, problem):
    questions, told = read_bytes(iter_squad, tmp_path / "a.json", content)
    assert not questions
    assert told[0][0] == "error" and problem in told[0][2]


def test_cmrc(shared_data):
    questions = list(iter_squad(shared_data("zh/cmrc2018/dev.json.gz")))
    assert len(questions) == 3219
    assert len({question.passage for question in questions}) == 848
    assert {len(question.answers) for question in questions} <= {1, 2, 3}
