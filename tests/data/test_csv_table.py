"""The reader of tables of texts and intents."""

import pytest
from reading import read_bytes

from keras_slu.data.csv_table import iter_csv


@pytest.fixture
def read(tmp_path):
    return lambda content: read_bytes(iter_csv, tmp_path / "a.csv", content)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('text,category\n"hi, ""you""",greet\n', 'hi, "you"'),
        ('Intent;"Utterance"\ngreet;"hi; you"\n', "hi; you"),
        ('label\tquery\ngreet\tsay "hi\n', 'say "hi'),
        ('text,intent\n"hi\nyou",greet\n', "hi\nyou"),
        ("text,intent\r\nhi,greet\r\n", "hi"),
        ("\ufefftext,intent\nhi,greet", "hi"),
    ],
)
def test_reads_texts_and_intents(read, content, text):
    (utterance,), told = read(content)
    assert told == []
    assert (utterance.text, utterance.intents) == (text, ("greet",))
    assert (utterance.slots, utterance.tokens) == ((), ())


def test_other_columns_are_a_warning(read):
    (utterance,), told = read("id,text,intent\n3,hi,greet\n")
    assert utterance.text == "hi"
    assert told == [("warning", 1, "columns 'id' are left out")]


def test_lines_are_counted_through_line_ends_in_quotes(read):
    utterances, told = read('text,intent\n"a\nb",x\n,y\nc,z\n\nd,\ne,v,w\n')
    assert [utterance.origin.rpartition(":")[2] for utterance in utterances] == [
        "2",
        "5",
    ]
    assert told == [
        ("error", 4, "the text is empty"),
        ("error", 6, "0 columns, but the header has 2"),
        ("error", 7, "the name '' is empty, or has white space around it"),
        ("error", 8, "3 columns, but the header has 2"),
    ]


@pytest.mark.parametrize("header", ["a,b", "text", "text,sentence,intent", "{}"])
def test_a_header_that_names_no_two_columns(read, header):
    utterances, told = read(f"{header}\nx,y\n")
    assert utterances == []
    assert told == [("error", 1, "not the header of a table of texts and intents")]


def test_an_open_quote_ends_the_reading(read):
    (utterance,), told = read('text,intent\na,x\n"b,x\nc,x\n')
    assert utterance.text == "a"
    ((severity, line, problem),) = told
    assert (severity, line) == ("error", 3)
    assert "invalid CSV" in problem
