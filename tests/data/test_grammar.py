"""Patterns and what is drawn from them."""

import random

import pytest

from keras_slu.data.grammar import draw
from keras_slu.data.grammar import parse
from keras_slu.errors import InputError

RULES = {
    "contact": parse("anna | <title> bob"),
    "title": parse("uncle | dr."),
    "who": parse("{contact} | my {contact:title}"),
}


def drawn(pattern, times=200):
    rng = random.Random(1)
    results = [draw(parse(pattern), RULES, rng) for _ in range(times)]
    return {(text, tuple(spans)) for text, spans in results}


def texts(pattern):
    return {text for text, _ in drawn(pattern)}


def test_every_alternative_comes():
    assert texts("a | b (c | d) e") == {"a", "b c e", "b d e"}


def test_an_optional_group_is_there_half_the_time():
    rng = random.Random(2)
    there = [draw(parse("a [b | c | d]"), {}, rng)[0] != "a" for _ in range(1000)]
    assert 450 < sum(there) < 550


def test_spans_hold_the_value():
    assert drawn("call {contact} [now]") == {
        (f"call {value}{end}", (("contact", 5, 5 + len(value)),))
        for value in ("anna", "uncle bob", "dr. bob")
        for end in ("", " now")
    }


def test_a_place_may_take_its_values_from_another_rule():
    assert drawn("{contact:title}!") == {
        ("uncle!", (("contact", 0, 5),)),
        ("dr.!", (("contact", 0, 3),)),
    }


def test_a_rule_may_hold_places():
    assert ("ask my uncle", (("contact", 7, 12),)) in drawn("ask <who>")
    assert ("ask anna", (("contact", 4, 8),)) in drawn("ask <who>")


def test_spaces_are_single_and_absent_at_the_ends_and_before_a_comma():
    pattern = " [please]  call\n {contact} [again] [, thanks] "
    for text in texts(pattern):
        assert text == " ".join(text.split())
        assert " ," not in text
    assert "call anna, thanks" in texts(pattern)


def test_no_space_where_none_is_written():
    assert texts("<title>:(10 | 20)") == {"uncle:10", "uncle:20", "dr.:10", "dr.:20"}


@pytest.mark.parametrize("pattern", ["a (b", "a b)", "(a]", "[a", "{a b}", "<a", "{}"])
def test_a_pattern_that_cannot_be_read_is_refused(pattern):
    with pytest.raises(InputError, match="cannot read the pattern"):
        parse(pattern)
