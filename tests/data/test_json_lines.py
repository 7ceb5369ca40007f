"""The reader of JSON lines."""

import gzip
import json
import tracemalloc

import pytest

from keras_slu.data import json_values
from keras_slu.data.json_lines import iter_json_lines
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.errors import InputError


def read_all(path):
    return list(iter_json_lines(path))


SPAN = {"name": "song", "start": 5, "end": 13}


def write(path, *items):
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def read_one(tmp_path, **item):
    (utterance,) = read_all(write(tmp_path / "data.jsonl", item))
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
    assert [utterance.text for utterance in read_all(path)] == ["a", "b"]


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ([], "the line is \\[\\]. Make it a JSON object"),
        ({}, 'an object without "text"'),
        ({"text": 3}, '"text" is 3. Make it a string'),
        ({"text": None}, '"text" is None'),
        ({"text": ""}, "the text is empty"),
        ({"text": " \u200b"}, "the text is empty"),
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
        ({"text": "a", "slots": {}}, '"slots" is {}'),
        ({"text": "a", "slots": ["x"]}, 'an item of "slots" is'),
    ],
)
def test_faults_are_told_with_file_and_line(tmp_path, item, problem):
    path = write(tmp_path / "data.jsonl", {"text": "fine"}, item)
    with pytest.raises(InputError, match=problem) as caught:
        read_all(path)
    assert (caught.value.file, caught.value.line) == (str(path), 2)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"name": ...}, 'a slot without "name"'),
        ({"end": ...}, 'a slot without "end"'),
        ({"name": 1}, 'the "name" of a slot is 1'),
        ({"name": ""}, "the name '' is empty"),
        ({"start": "5"}, "a bound of slot 'song' is '5'"),
        ({"start": 5.0}, "a bound of slot 'song' is 5.0"),
        ({"end": True}, "a bound of slot 'song' is True"),
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
        read_all(path)
    assert (caught.value.file, caught.value.line) == (str(path), line)


def test_a_truncated_gz_is_told(tmp_path):
    path = tmp_path / "data.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"text": "a"}\n' * 9)[:-9])
    with pytest.raises(InputError, match="damaged gzip"):
        read_all(path)


def test_keys_that_mean_nothing_are_a_warning_each(tmp_path):
    told = []
    items = [{"text": "a", "id": 1}, {"text": "b", "id": 2, "label": {}}]
    path = write(tmp_path / "data.jsonl", *items)
    read = list(iter_json_lines(path, lambda *what: told.append(what)))
    assert [utterance.text for utterance in read] == ["a", "b"]
    assert [(severity, fault.problem) for severity, fault in told] == [
        ("warning", "keys 'id' are left out"),
        ("warning", "keys 'label' are left out"),
    ]


def test_reading_goes_on_behind_a_fault_that_is_reported(tmp_path):
    told = []
    path = tmp_path / "data.jsonl"
    path.write_bytes(
        b'{"text": "a"}\n{"text": \n\n{"text": "b"}\n\xff\n{"text": "c"}\n'
    )
    read = list(iter_json_lines(path, lambda *what: told.append(what)))
    assert [utterance.text for utterance in read] == ["a", "b"]
    assert [(severity, fault.line) for severity, fault in told] == [
        ("error", 2),
        ("error", 3),
        ("error", 5),  # which ends the file
    ]


def test_memory_does_not_grow_with_the_file(tmp_path):
    path = tmp_path / "data.jsonl"
    path.write_text('{"text": "play hey jude", "intent": "play"}\n' * 20_000)
    tracemalloc.start()
    try:
        assert sum(1 for _ in iter_json_lines(path)) == 20_000
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "line",
    [
        '{"text": "a\\ud83d"}',
        '{"text": "\\ud83d\\ude00 é \\u0000"}',
        '{"text": "a", "id": NaN}',
        '{"text": "a", "text": "b"} ',
        '{"text": "a", "intent": 1.0}',
        '{"text": "a"}}',
        "[" * 100_000,
        "true",
    ],
)
def test_orjson_changes_nothing(tmp_path, monkeypatch, line):
    pytest.importorskip("orjson")
    path = tmp_path / "data.jsonl"
    path.write_text(line + "\n")

    def read():
        told = []
        utterances = list(iter_json_lines(path, lambda *what: told.append(str(what))))
        return utterances, told

    quick = read()
    monkeypatch.setattr(json_values, "orjson", None)
    assert read() == quick
