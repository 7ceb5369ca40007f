"""The reader of JSON lines."""

import gzip
import json

import pytest

from keras_slu.data.json_lines import read_json_lines
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.errors import InputError

SPAN = {"name": "song", "start": 5, "end": 13}


def write(path, *items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def read_one(tmp_path, **item):
    (utterance,) = read_json_lines(write(tmp_path / "data.jsonl", item))
    return utterance


def test_reads_spans_over_a_string(tmp_path):
    utterance = read_one(
        tmp_path,
        text="play hey jude now",
        intent="PlayMusic#Hum",
        slots=[{"name": "when", "start": 14, "end": 17}, {**SPAN, "value": "hey jude"}],
        comment="ignored",
    )
    assert utterance.text == "play hey jude now"
    assert utterance.tokens == ()
    assert utterance.slots == (SlotSpan("song", 5, 13), SlotSpan("when", 14, 17))
    assert utterance.intents == ("PlayMusic", "Hum")
    assert utterance.origin == f"{tmp_path / 'data.jsonl'}:1"


def test_offsets_count_code_points(tmp_path):
    slot = {"name": "song", "start": 7, "end": 10, "value": "été"}
    utterance = read_one(tmp_path, text="😀 play été", slots=[slot])
    assert utterance.slots == (SlotSpan("song", 7, 10),)


def test_reads_tags_over_a_list_of_words(tmp_path):
    utterance = read_one(
        tmp_path,
        text=["play", "hey", "jude"],
        intents=["Play", "Hum", "Play"],
        slot=["O", "I-song", "I-song"],
    )
    assert utterance.text == "play hey jude"
    assert utterance.tokens[2] == Token("jude", 9, 13)
    assert utterance.slots == (SlotSpan("song", 5, 13),)
    assert utterance.intents == ("Play", "Hum")
    assert read_one(tmp_path, text="a", intents=["b#c", "d"]).intents == ("b", "c", "d")


def test_a_string_with_tags_is_split_at_spaces(tmp_path):
    utterance = read_one(tmp_path, text="play it", slot=["O", "B-song"])
    assert utterance.tokens == (Token("play", 0, 4), Token("it", 5, 7))


def test_a_list_of_words_may_have_spans(tmp_path):
    utterance = read_one(tmp_path, text=["play", "hey", "jude"], slots=[SPAN])
    assert utterance.slots == (SlotSpan("song", 5, 13),)


def test_labels_may_be_missing(tmp_path):
    utterance = read_one(tmp_path, text="a  b")
    assert (utterance.text, utterance.slots, utterance.intents) == ("a  b", (), ())
    assert read_one(tmp_path, text="a", intents=[], slots=[]).intents == ()


def test_reads_gz(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "a"}\n{"text": "b"}\n'))
    assert [utterance.text for utterance in read_json_lines(path)] == ["a", "b"]


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ([], "the line is \\[\\]. Make it a JSON object"),
        ({}, 'no "text"'),
        ({"text": 3}, '"text" is 3. Make it a string'),
        ({"text": None}, '"text" is None'),
        ({"text": ""}, '"text" is empty'),
        ({"text": " \u200b"}, '"text" is empty'),
        ({"text": []}, '"text" is empty'),
        ({"text": ["a", 1]}, 'a word of "text" is 1'),
        ({"text": ["a", ""]}, "an empty"),
        ({"text": ["a", "b c"]}, "separator U[+]0020"),
        ({"text": "a\0b"}, '"text" holds U[+]0000'),
        ({"text": "a\ud83d"}, '"text" holds U[+]D83D'),
        ({"text": "a", "intent": 1}, '"intent" is 1'),
        ({"text": "a", "intent": None}, '"intent" is None'),
        ({"text": "a", "intent": ""}, "the name '' is empty"),
        ({"text": "a", "intent": "x##y"}, "the name '' is empty"),
        ({"text": "a", "intents": ["x", 2]}, 'a name in "intents" is 2'),
        ({"text": "a", "intents": [" x"]}, "white space around"),
        ({"text": "a", "intent": "x", "intents": ["x"]}, "both"),
        ({"text": "a", "slot": ["O"], "slots": []}, "both"),
        ({"text": "a", "slot": "O"}, '"slot" is .O.'),
        ({"text": "a", "slot": [1]}, 'a tag in "slot" is 1'),
        ({"text": "a", "slot": ["b"]}, "'b' is not BIO"),
        ({"text": "a b", "slot": ["O"]}, "2 words but 1 tags"),
        ({"text": "a  b", "slot": ["O", "O"]}, "beside another"),
        ({"text": "a", "slots": {}}, '"slots" is {}'),
        ({"text": "a", "slots": ["x"]}, 'an item of "slots" is'),
    ],
)
def test_faults_are_told_with_file_and_line(tmp_path, item, problem):
    path = write(tmp_path / "data.jsonl", {"text": "fine"}, item)
    with pytest.raises(InputError, match=problem) as caught:
        read_json_lines(path)
    assert (caught.value.file, caught.value.line) == (str(path), 2)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": ...}, 'a slot without "name"'),
        ({"end": ...}, 'a slot without "end"'),
        ({"name": 1}, 'the "name" of a slot is 1'),
        ({"name": ""}, "the name '' is empty"),
        ({"start": "5"}, '"start" of slot .song. is'),
        ({"start": 5.0}, '"start" of slot .song. is 5.0'),
        ({"end": True}, '"end" of slot .song. is True'),
        ({"start": 13, "end": 5}, "13:5 is no stretch of the 13"),
        ({"start": 5, "end": 5}, "5:5 is no stretch"),
        ({"start": -1}, "-1:13 is no stretch"),
        ({"end": 14}, "5:14 is no stretch"),
        ({"value": "hey"}, "the value .hey., but the text at 5:13 is .hey jude."),
        ({"value": 7}, "the value 7"),
    ],
)
def test_faults_of_a_span_are_told(tmp_path, change, problem):
    slot = {key: value for key, value in {**SPAN, **change}.items() if value != ...}
    with pytest.raises(InputError, match=problem):
        read_one(tmp_path, text="play hey jude", slots=[slot])


def test_overlapping_spans_are_refused_in_any_order(tmp_path):
    slots = [{"name": "artist", "start": 9, "end": 13}, SPAN]
    with pytest.raises(InputError, match="'song' at 5:13 overlaps slot 'artist'"):
        read_one(tmp_path, text="play hey jude", slots=slots)


def test_a_span_that_cuts_a_given_token_is_refused(tmp_path):
    with pytest.raises(InputError, match="5:13 'hey jude', but .* 5:14") as caught:
        read_one(tmp_path, text=["play", "hey", "judes"], slots=[SPAN])
    assert caught.value.line == 1


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        (b"", None, "is empty"),
        (b'{"text": "a"}\n\n', 2, "an empty line"),
        (b'{"text": "a"}\n{"text": \n', 2, "invalid JSON"),
        (b'[{"text": "a"},\n', 1, "invalid JSON"),
        (b"[" * 100_000 + b"\n", 1, "invalid JSON"),
        (b'{"text": "a"}\n{"text": "\xe9"}\n', 2, "UTF-8"),
        (b'{"text": "a\0"}\n', 1, "NUL"),
    ],
)
def test_a_damaged_file_is_told(tmp_path, content, line, problem):
    path = tmp_path / "data.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem) as caught:
        read_json_lines(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


def test_a_truncated_gz_is_told(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "a"}\n' * 9)[:-9])
    with pytest.raises(InputError, match="damaged gzip"):
        read_json_lines(path)
