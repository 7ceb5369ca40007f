"""`keras-slu punctuate`, `understand` and `data punctuate-corpus`."""

import json

import pytest
from marked import make_model
from untrained import make_model as make_parser_model

import keras_slu
from keras_slu.parsing.punctuator import Punctuator

TEXT = "so what happened next\r\nnobody  knows so i don't zoë what\n" * 4


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "marks"
    folder.mkdir()
    make_model().save(folder / "model.keras")
    return folder


@pytest.fixture(scope="module")
def parser_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "frames"
    folder.mkdir()
    make_parser_model().save(folder / "model.keras")
    return folder


@pytest.fixture(scope="module")
def punctuator():
    return Punctuator(make_model())


def test_text_of_a_file_and_of_standard_input(command, run, punctuator, tmp_path):
    path = tmp_path / "talk.txt"
    path.write_bytes(TEXT.encode())
    expected = punctuator.punctuate(TEXT)
    assert expected != TEXT
    for result in (
        command("punctuate", run, path),
        command("punctuate", run, stdin=TEXT.encode()),
    ):
        assert result.code == 0, result.err.decode()
        assert result.out.decode() == expected
        assert result.err == b""


def test_bytes_that_are_no_text_go_through(command, run):
    result = command("punctuate", run, stdin=b"so \xff\xfe what\x00 knows\r\n")
    kept = bytes(byte for byte in result.out if byte not in b",.?")
    assert kept == b"so \xff\xfe what\x00 knows\r\n"


def test_one_sentence_a_line(command, run, punctuator):
    result = command(
        "punctuate", run, "--format", "sentences", "--casing", stdin=TEXT.encode()
    )
    lines = result.out.decode().split("\n")
    assert lines.pop() == ""
    assert len(lines) > 2
    assert all(line[-1] in ".?" for line in lines[:-1])
    assert all(line[0].isupper() for line in lines)
    expected = punctuator.punctuate(TEXT, casing=True).split()
    assert " ".join(lines).split() == expected


def test_json_lines_with_offsets(command, run, punctuator):
    result = command("punctuate", run, "--format", "json", stdin=TEXT.encode())
    found = [json.loads(line) for line in result.out.decode().splitlines()]
    words = [word for word in punctuator.words([TEXT]) if word.text]
    for line, word in zip(found, words, strict=True):
        assert TEXT[line["start"] : line["end"]] == line["text"]
        assert (line["mark"], line["ends_sentence"]) == (word.mark, word.ends_sentence)


def test_existing_marks_are_replaced_on_demand(command, run, punctuator):
    text = "so, what. happened? next! nobody: knows"
    result = command("punctuate", run, "--existing", "replace", stdin=text.encode())
    assert result.out.decode() == punctuator.punctuate(text, existing="replace")
    kept = command("punctuate", run, stdin=text.encode()).out.decode()
    assert kept.rstrip(",.?") == text


def test_what_cannot_be_used_is_refused(command, refused, run, parser_run, tmp_path):
    refused(command("punctuate", run, tmp_path / "no.txt"), "no.txt", "No such file")
    refused(command("punctuate", parser_run, stdin=b"so"), "no run of punctuation")
    refused(command("predict", run, "so"), "of another task")


def test_other_commands_refuse_a_run_of_punctuation(
    command, refused, run, parser_run, tmp_path
):
    data = tmp_path / "data.jsonl"
    data.write_text('{"text": "play it", "intent": "play"}\n')
    for arguments in (
        ("evaluate", run, data),
        ("compare", parser_run, run, data),
        ("verify", run, run, "--data", data),
    ):
        refused(command(*arguments), "of another task")


def test_understand_gives_frames_in_the_transcript(
    command, run, parser_run, punctuator, tmp_path
):
    transcript = " play hey jude so what happened next\nbook rome " * 5
    path = tmp_path / "talk.txt"
    path.write_text(transcript)
    result = command("understand", path, "--punctuation", run, "--parser", parser_run)
    assert result.code == 0, result.err.decode()
    found = [json.loads(line) for line in result.out.decode().splitlines()]
    parser = keras_slu.load(parser_run)
    assert len(found) > 2 and any(line["slots"] for line in found)
    for line in found:
        sentence = transcript[line["start"] : line["end"]]
        frame = parser.parse(sentence)
        assert [i["name"] for i in line["intents"]] == [i.name for i in frame.intents]
        assert len(line["slots"]) == len(frame.slots)
        for slot in line["slots"]:
            assert transcript[slot["start"] : slot["end"]] == slot["value"]
    together = " ".join(line["text"] for line in found).split()
    assert together == punctuator.punctuate(transcript).split()


def test_understand_nothing(command, run, parser_run):
    result = command(
        "understand", "-", "--punctuation", run, "--parser", parser_run, stdin=b" \n"
    )
    assert (result.code, result.out) == (0, b"")


def test_a_corpus_of_ordinary_text(command, refused, tmp_path):
    source, target = tmp_path / "book.txt", tmp_path / "book.tsv"
    source.write_text("Well, what happened?\nNobody knows!\n")
    result = command("data", "punctuate-corpus", source, target)
    assert result.code == 0, result.err.decode()
    assert b"5 words with 3 marks" in result.out
    assert target.read_text() == (
        "well\tCOMMA\nwhat\tO\nhappened\tQUESTION\nnobody\tO\nknows\tPERIOD\n"
    )
    refused(command("data", "punctuate-corpus", source, target), "exists")
    other = tmp_path / "other.tsv"
    wrong = command("data", "punctuate-corpus", source, other, "--marks", "DASH")
    refused(wrong, "DASH", "QUESTION")
    source.write_text("... !\n")
    refused(command("data", "punctuate-corpus", source, other), "no words")
    assert not other.exists()


def test_a_corpus_with_noise(command, tmp_path):
    source = tmp_path / "book.txt"
    source.write_text("one two three four. " * 100)
    rows = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        target = tmp_path / name
        command(
            *("data", "punctuate-corpus", source, target, "--marks", "PERIOD"),
            *("--noise", 0.2, "--seed", seed),
        )
        rows.append(target.read_text())
    assert rows[0] == rows[1] != rows[2]
    assert rows[0].count("PERIOD") >= 95
