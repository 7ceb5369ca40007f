"""The reader of Rasa's YAML."""

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.rasa_yaml import iter_rasa_yaml


@pytest.fixture
def read(tmp_path):
    return lambda content: read_bytes(iter_rasa_yaml, tmp_path / "nlu.yml", content)


def test_reads_examples_in_all_layouts(read):
    utterances, told = read(
        """\
version: "3.1"
nlu:
- intent: travel
  examples: |

    - to [Rome](city)

    - - home
- intent: faq/greet
  metadata: {sentiment: good}
  examples:
  - text: |
      hi you
    metadata: x
  - 'hello [Bob]{"entity": "name", "role": "other"}'
- {intent: 'a: b', examples: "- one\\n- two"}
"""
    )
    assert told == []
    assert [(u.text, *labels_of(u), u.tokens) for u in utterances] == [
        ("to Rome", ("travel",), [("city", "Rome")], ()),
        ("- home", ("travel",), [], ()),
        ("hi you", ("faq/greet",), [], ()),
        ("hello Bob", ("faq/greet",), [("name.other", "Bob")], ()),
        ("one", ("a: b",), [], ()),
        ("two", ("a: b",), [], ()),
    ]
    lines = [utterance.origin.rpartition(":")[2] for utterance in utterances]
    assert lines == ["6", "8", "12", "15", "16", "16"]


def test_what_is_left_out_is_named_once(read):
    utterances, told = read(
        """\
stories: []
nlu:
- synonym: cash
  examples: |
    - money
- lookup: city
  examples: |
    - Rome
- regex: zip
  examples: |
    - \\d+
- synonym: card
  examples: |
    - plastic
- intent: a
  examples: |
    - [x](b:y)
    - [x](b:z)
"""
    )
    assert len(utterances) == 2
    assert told == [
        ("warning", 1, "sections 'stories' are left out"),
        ("warning", 3, "items 'synonym' are left out"),
        ("warning", 6, "items 'lookup' are left out"),
        ("warning", 9, "items 'regex' are left out"),
        ("warning", None, "values of entities that are not in the text are left out"),
    ]


GOOD = "- intent: good\n  examples: |\n    - fine\n"


@pytest.mark.parametrize(
    ("item", "line", "problem"),
    [
        ("- intent: a\n  examples: |\n    - [x\n", 7, "brackets that mark no entity"),
        ("- intent: a\n  examples: |\n    x\n", 7, "begins with no dash"),
        ("- intent: a\n  examples: |\n    -\n", 7, "the text is empty"),
        ("- intent: ''\n  examples: |\n    - x\n", 7, "the name '' is empty"),
        ("- intent: a\n", 5, 'an item without "examples"'),
        ("- examples: a\n", 5, 'an item without "intent"'),
        ("- intent: [a]\n  examples: a\n", 5, '"intent" is a list'),
        ("- intent: a\n  examples: {b: c}\n", 6, '"examples" is a mapping'),
        ("- intent: a\n  examples:\n  - metadata: b\n", 7, 'without "text"'),
        ("- intent: a\n  examples:\n  - [b]\n", 7, "an example is a list"),
        ("- a\n", 5, 'an item of "nlu" is a text'),
    ],
)
def test_reading_goes_on_behind_a_fault(read, item, line, problem):
    utterances, told = read(f"nlu:\n{GOOD}{item}{GOOD}")
    assert [utterance.text for utterance in utterances] == ["fine", "fine"]
    ((severity, told_line, told_problem),) = told
    assert (severity, told_line) == ("error", line)
    assert problem in told_problem


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ("version: '3.1'\n", None, 'holds no "nlu" section'),
        ("- a\n", 1, "the file is a list"),
        ("nlu: a\n", 1, '"nlu" is a text'),
        ("nlu: [a\n", 1, "invalid YAML"),
        (b"nlu:\n\xff", 2, "not valid UTF-8"),
        ("", None, "is empty"),
    ],
)
def test_a_file_that_is_no_such_file(read, content, line, problem):
    utterances, told = read(content)
    assert utterances == []
    ((severity, told_line, told_problem),) = told
    assert (severity, told_line) == ("error", line)
    assert problem in told_problem
