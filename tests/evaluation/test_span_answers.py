"""Answers as the official script of CMRC 2018 counts them."""

import pytest

from keras_slu.evaluation.span_answers import exact_match
from keras_slu.evaluation.span_answers import span_f1


@pytest.mark.parametrize(
    "answers, predicted, exact",
    [
        (["光荣和ω-force"], "光荣和ω-force", 1.0),
        (["光荣和ω-force"], "光荣和Ωforce", 1.0),
        (["《红楼梦》"], " 红楼梦，", 1.0),
        (["1966", "一九六六年"], "一九六六年", 1.0),
        (["1966年"], "1966", 0.0),
        ([""], "红", 0.0),
    ],
)
def test_exact_match(answers, predicted, exact):
    assert exact_match(answers, predicted) == exact


@pytest.mark.parametrize(
    "answers, predicted, f1",
    [
        (["红楼梦"], "红楼梦", 1.0),
        (["红楼梦"], "《红楼梦》！", 1.0),
        # "北京" is the longest run: 2 of 4 and 2 of 5.
        (["北京大学"], "北京师范大", 2 * 0.5 * 0.4 / 0.9),
        # The run breaks: two characters on each side of the dot count as one run.
        (["在北京的"], "在上北京", 2 * 0.5 * 0.5 / 1.0),
        # A word is one unit: 1 of 2 and 1 of 1.
        (["New York"], "york", 2 * 1.0 * 0.5 / 1.5),
        (["1966年8月", "8月"], "8月", 1.0),
        (["红"], "", 0.0),
        (["红"], "蓝", 0.0),
        (["啊" * 300 + "红"], "啊" * 300 + "红", 1.0),
    ],
)
def test_f1(answers, predicted, f1):
    assert span_f1(answers, predicted) == pytest.approx(f1)
