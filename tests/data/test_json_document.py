"""Walking a JSON document, with lines."""

import pytest
from reading import read_bytes

from keras_slu.data.json_document import JSONDocument
from keras_slu.data.json_document import iter_examples
from keras_slu.data.utterance import Utterance
from keras_slu.errors import InputError


def read_example(example, known, origin, warn):
    if example == 0:
        raise InputError("zero", "Count from one.")
    if example == 1:
        warn(InputError("one", "Two is better."))
    return Utterance(f"{known} {example}", origin=origin)


def reader(path, report):
    def walk(document):
        for key in document.members():
            for _ in document.items():
                yield key

    return iter_examples(path, walk, read_example, report)


@pytest.fixture
def read(tmp_path):
    return lambda content: read_bytes(reader, tmp_path / "a.json", content)


def test_examples_know_their_line(read):
    utterances, told = read('\n{"a": [7,\n\n 0, 1], "b": [],\n"c": [{"x": []}]}\n')
    assert [(u.text, u.origin.rpartition(":")[2]) for u in utterances] == [
        ("a 7", "2"),
        ("a 1", "4"),
        ("c {'x': []}", "5"),
    ]
    assert told == [("error", 4, "zero"), ("warning", 4, "one")]


@pytest.mark.parametrize(
    ("rest", "line", "problem"),
    [
        ("", 2, "'the end' where ',' is expected"),
        (",\n", 2, "invalid JSON (Expecting value)"),
        (", x]", 2, "invalid JSON (Expecting value)"),
        (", " + "[" * 100_000, 2, "nodes too deep"),
        (", 1" + "0" * 5000, 2, "invalid JSON (Exceeds the limit"),
        (" 8]", 2, "'8]' where ',' is expected"),
        ("], 3: []}", 2, "a key that is no string: 3"),
        ('], "b": 3}', 2, "'3}' where '[' is expected"),
        ("]}\n]", 3, "more text behind the end"),
    ],
)
def test_broken_json_ends_the_reading(read, rest, line, problem):
    utterances, told = read('{"a":\n[7' + rest)
    assert [utterance.text for utterance in utterances] == ["a 7"]
    ((severity, told_line, told_problem),) = told
    assert (severity, told_line) == ("error", line)
    assert problem in told_problem


@pytest.mark.parametrize(
    ("content", "problem"),
    [("", "is empty"), ("{}", "holds no example"), ('{"a": []}', "holds no example")],
)
def test_a_document_without_examples_is_told(read, content, problem):
    assert read(content) == ([], [("error", None, problem)])


def test_values_may_be_skipped(tmp_path):
    (tmp_path / "a.json").write_text('{"a": {"b": [1, 2]}, "c": 3}')
    document = JSONDocument(tmp_path / "a.json")
    assert [(key, document.value()) for key in document.members()] == [
        ("a", {"b": [1, 2]}),
        ("c", 3),
    ]
    document.end()
