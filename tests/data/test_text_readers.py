"""Texts, pairs of texts and their labels: JSON lines and tables."""

import json

import pytest
from reading import read_bytes

from keras_slu.data.examples import TextExample
from keras_slu.data.text_lines import iter_text_lines
from keras_slu.data.text_table import iter_text_table
from keras_slu.errors import InputError


def test_json_lines(tmp_path):
    items = [
        {"sentence": "a b", "label": "102", "label_desc": "news", "id": 3},
        {"sentence1": "a", "sentence2": "", "label": 0},
        {"question": "", "candidate": "c", "label": "1"},
    ]
    content = "".join(f"{json.dumps(item)}\n" for item in items)
    examples, told = read_bytes(iter_text_lines, tmp_path / "a.jsonl", content)
    assert examples == [
        TextExample("a b", None, "news"),
        TextExample("a", "", "0"),
        TextExample("", "c", "1"),
    ]
    assert examples[1].origin == f"{tmp_path / 'a.jsonl'}:2"
    assert told == [("warning", None, "keys 'id' are left out")]


def test_a_table(tmp_path):
    content = 'label\tid\ttext_a\ttext_b\n1\t7\tsay "x\ty\n0\t8\t\tz\n'
    examples, told = read_bytes(iter_text_table, tmp_path / "a.tsv", content)
    assert examples == [TextExample('say "x', "y", "1"), TextExample("", "z", "0")]
    assert told == [("warning", 1, "columns 'id' are left out")]


@pytest.mark.parametrize(
    "line, problem",
    [
        ('{"label": "1"}', "an object without a text"),
        ('{"text": "a"}', 'an object without "label"'),
        ('{"text": "a", "label": 1.5}', '"label" is 1.5'),
        ('{"text": "a", "label": ""}', "the name '' is empty"),
        ('{"text": " ", "label": "1"}', "the text is empty"),
        ('{"text": "", "text_b": "", "label": "1"}', "the text is empty"),
        ('{"text": "a", "sentence": "b", "label": "1"}', 'both "text" and "sentence"'),
        ('{"text": "a\\ud800", "label": "1"}', '"text" holds U+D800'),
        ("[]", "the line is []"),
        ("{", "invalid JSON"),
        ("", "an empty line"),
    ],
)
def test_faults_in_lines(tmp_path, line, problem):
    content = f'{{"text": "a", "label": "0"}}\n{line}\n{{"text": "b", "label": "1"}}\n'
    examples, told = read_bytes(iter_text_lines, tmp_path / "a.jsonl", content)
    assert [example.text for example in examples] == ["a", "b"]
    [(severity, line, found)] = told
    assert (severity, line) == ("error", 2) and found.startswith(problem)


@pytest.mark.parametrize(
    "content, line, problem",
    [
        ("text,label\n", 1, "not the header"),
        ("text\tsentence\tlabel\n", 1, "not the header"),
        ("label\ttext\n1\n", 2, "1 columns, but the header has 2"),
        ("label\ttext\n\ta\n", 2, "the name '' is empty"),
        ("label\ttext\n1\t\n", 2, "the text is empty"),
        ("label\ttext\n1\t\xff\n", 2, "byte 0xff"),
        ("", None, "is empty"),
    ],
)
def test_faults_in_tables(tmp_path, content, line, problem):
    path = tmp_path / "a.tsv"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=problem) as error:
        list(iter_text_table(path))
    assert (error.value.file, error.value.line) == (str(path), line)


@pytest.mark.parametrize(
    "reader, name, count, first, labels",
    [
        (iter_text_table, "chnsenticorp/test.tsv.gz", 1200, "这个宾馆比较陈旧了", 2),
        (iter_text_lines, "tnews/dev.jsonl.gz", 5000, "江疏影甜甜圈自拍", 15),
        (iter_text_lines, "ocnli/dev.jsonl.gz", 2950, "身上裹一件工厂发的棉大衣", 3),
        (iter_text_lines, "afqmc/small_dev.jsonl.gz", 1000, "***花呗分期", 2),
    ],
)
def test_published_files(shared_data, reader, name, count, first, labels):
    examples = list(reader(shared_data(f"zh/{name}")))
    assert len(examples) == count
    assert examples[0].text.startswith(first)
    assert len({example.label for example in examples}) == labels
