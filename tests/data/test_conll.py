"""The reader of CoNLL blocks and their relatives."""

import pytest
from reading import labels_of
from reading import read_bytes

from keras_slu.data.conll import iter_conll
from keras_slu.data.utterance import Token


@pytest.fixture
def read(tmp_path):
    return lambda content: read_bytes(iter_conll, tmp_path / "data.txt", content)


def read_one(read, content):
    (utterance,), told = read(content)
    assert told == []
    return utterance


def test_the_intent_is_the_last_row(read):
    (first, second), told = read(
        "play O\nhey B-song\njude I-song\nPlay#Hum\n\n\n \nstop O\nStop\n"
    )
    assert told == []
    assert first.text == "play hey jude"
    assert first.tokens[2] == Token("jude", 9, 13)
    assert labels_of(first) == (("Play", "Hum"), [("song", "hey jude")])
    assert (second.text, second.intents) == ("stop", ("Stop",))
    assert second.origin.endswith("data.txt:8")


@pytest.mark.parametrize("note", ["# intent = Play", "# intent: Play"])
def test_the_intent_is_a_comment(read, note):
    utterance = read_one(read, f"# id = 3\n# made by hand\n{note}\nplay\tO\nit\tB-x\n")
    assert labels_of(utterance) == (("Play",), [("x", "it")])


def test_rows_without_an_intent(read):
    assert read_one(read, "play O\n").intents == ()


def test_a_text_of_its_own_keeps_its_spacing(read):
    utterance = read_one(read, "# text =  Play 6pm.\nPlay O\n6 B-hour\npm O\n. O\n")
    assert (utterance.text, utterance.tokens) == (" Play 6pm.", ())
    assert labels_of(utterance) == ((), [("hour", "6")])


def test_the_word_is_the_first_column_and_the_tag_the_last(read):
    utterance = read_one(read, "U.N. NNP I-NP B-org\nofficial NN I-NP O\n")
    assert utterance.text == "U.N. official"
    assert labels_of(utterance)[1] == [("org", "U.N.")]


def test_a_first_column_that_counts_is_a_number(read):
    utterance = read_one(read, "1\tplay\tPlay\tO\n2\tjude\tPlay\tB-song\n")
    assert utterance.text == "play jude"
    assert read_one(read, "1 B-number\n2 O\n").text == "1 2"


@pytest.mark.parametrize(
    ("tags", "names"),
    [
        ("B-a M-a E-a S-b O", ["a", "b"]),
        ("B-a I-a E-a S-a S-a", ["a", "a", "a"]),
        ("B-a I-a L-a U-b U-b", ["a", "b", "b"]),
        ("B-a E-a B-a E-a O", ["a", "a"]),
    ],
)
def test_other_schemes(read, tags, names):
    utterance = read_one(read, "".join(f"w {tag}\n" for tag in tags.split()))
    assert [slot.name for slot in utterance.slots] == names


def test_a_hash_is_a_word_as_well(read):
    assert read_one(read, "# O\n# B-x\n").text == "# #"


def test_document_marks_are_no_utterance(read):
    assert read_one(read, "-DOCSTART- -X- O\n\nplay VB O\n").text == "play"


def test_orphan_tags_are_a_warning(read):
    (utterance,), told = read("play O\njude I-song\n")
    assert labels_of(utterance)[1] == [("song", "jude")]
    assert told == [("warning", 1, "the tag 'I-song' of word 2 continues no slot")]


@pytest.mark.parametrize(
    ("block", "line", "problem"),
    [
        ("play O\nit\nnow O\n", 4, "a row of one column, 'it'"),
        ("play O\nit X\n", 4, "the tag 'X' is not BIO"),
        ("play O\nit B-\n", 4, "the tag 'B-' is not BIO"),
        ("play O\na\u3000b O\n", 4, "separator U+3000"),
        ("Play\n", 3, "a row of one column"),
        ("# intent = Play\n", 3, "a block without words"),
        ("# intent = Play\nplay O\nPlay\n", 5, "a second intent"),
        ("play O\nPlay##\n", 3, "the name '' is empty"),
        ("# text = play\nplay O\nit O\n", 3, "the word 'it' is not in the text at 4"),
        ("# text = play it\nplay O\n", 3, "no word is given for the end"),
    ],
)
def test_reading_goes_on_behind_a_faulty_block(read, block, line, problem):
    (first, last), told = read(f"one O\n\n{block}\n\nlast O\n")
    assert (first.text, last.text) == ("one", "last")
    ((severity, told_line, told_problem),) = told
    assert (severity, told_line) == ("error", line)
    assert problem in told_problem
