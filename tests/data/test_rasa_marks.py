"""Entities marked inside a text."""

import pytest

from keras_slu.data.rasa_marks import read_marks
from keras_slu.errors import InputError

VALUES = "values of entities that are not in the text"


def read(marked):
    """Text, `(name, value)`s, and what was left out or warned of."""
    told = []
    text, slots = read_marks(marked, told.append, lambda fault: told.append("warned"))
    return text, [(slot.name, text[slot.start : slot.end]) for slot in slots], told


@pytest.mark.parametrize(
    ("marked", "name", "left_out"),
    [
        ("to [Rome](city)", "city", []),
        (
            "to [Rome](city:Roma)",
            "city",
            [VALUES],
        ),
        ('to [Rome]{"entity": "city"}', "city", []),
        ('to [Rome]{"entity": "city", "value": "Rome"}', "city", []),
        ('to [Rome]{"entity": "city", "role": "to"}', "city.to", []),
        ('to [Rome]{"entity": "c", "group": "1"}', "c", ["groups of entities"]),
        ('to [Rome][{"entity": "city"}]', "city", []),
        ("to [Rome ](city)", "city", ["warned"]),
    ],
)
def test_every_spelling(marked, name, left_out):
    text, slots, told = read(marked)
    assert (text.strip(), slots, told) == ("to Rome", [(name, "Rome")], left_out)


def test_several_marks_and_none():
    assert read("[a](x)[b](y) c (d) {e}")[:2] == (
        "ab c (d) {e}",
        [("x", "a"), ("y", "b")],
    )
    assert read("plain: (text)") == ("plain: (text)", [], [])


@pytest.mark.parametrize(
    ("marked", "problem"),
    [
        ("[a [b](c) d](e)", "brackets that mark no entity"),
        ("[a(b)", "brackets that mark no entity"),
        ("a](b)", "brackets that mark no entity"),
        ("[a] (b)", "brackets that mark no entity"),
        ("[](b)", "brackets that mark no entity"),
        ("[ ](b)", "spans no token"),
        ("[a]()", "the name '' is empty"),
        ("[a]{'entity': 'b'}", "invalid JSON behind 'a'"),
        ('[a]{"role": "b"}', 'an entity without "entity"'),
        ('[a]{"entity": 3}', 'an "entity" is 3'),
        ('[a][{"entity": "b"}, {"entity": "c"}]', "2 entities on 'a'"),
        ("[a][3]", "an entity is 3"),
        ("[a][]", "0 entities on 'a'"),
    ],
)
def test_faulty_marks(marked, problem):
    with pytest.raises(InputError) as caught:
        read(marked)
    assert problem in caught.value.problem
