"""`keras-slu data convert`: there and back, or nothing."""

import json

import pytest

from keras_slu.data import read
from keras_slu.data import read_dialogues

ITEM = {
    "text": "play it.",
    "intent": "play",
    "slots": [{"name": "song", "start": 5, "end": 7}],
}


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "source.jsonl"
    path.write_text(json.dumps(ITEM) + "\n")
    return path


@pytest.mark.parametrize("name", ["nlu.yml", "a.conll.gz", "b.jsonl"])
def test_there_and_back(command, source, tmp_path, name):
    target = tmp_path / "new" / name
    result = command("data", "convert", source, target)
    assert (result.code, result.err) == (0, b"")
    assert result.out.decode().startswith(f"Wrote 1 utterances to {target} (")
    back = tmp_path / "back.jsonl"
    assert command("data", "convert", target, back).code == 0
    assert read(back) == read(source)


def test_formats_may_be_named(command, source, tmp_path):
    target = tmp_path / "a.txt"
    source = source.rename(tmp_path / "source")
    named = ("--from", "json-lines", "--to", "snips-json")
    assert command("data", "convert", source, target, *named).code == 0
    assert read(target, "snips-json") == read(source)


def test_words_of_raw_text_for_a_seq_folder(command, refused, source, tmp_path):
    target = tmp_path / "train"
    refused(command("data", "convert", source, target), source, "5:7 'it'", "'it.'")
    assert not target.exists()
    assert command("data", "convert", source, target, "--tokenise").code == 0
    assert (target / "seq.in").read_text() == "play it .\n"
    assert (target / "seq.out").read_text() == "O B-song O\n"


def test_what_is_left_out_is_told(command, tmp_path):
    source = tmp_path / "a.jsonl"
    lines = [{**ITEM, f"key{n}": n} for n in range(7)]
    source.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = command("data", "convert", source, tmp_path / "b.jsonl")
    told = result.err.decode().splitlines()
    assert result.code == 0 and len(told) == 6
    assert told[0].startswith(f"warning: {source}: keys 'key0' are left out")
    assert told[5] == f"and 2 more: keras-slu data validate {source}"


def test_a_faulty_source_writes_nothing(command, refused, source, tmp_path):
    source.write_text(source.read_text() + "{}\n")
    target = tmp_path / "b.jsonl"
    refused(command("data", "convert", source, target), f"{source}:2", 'without "text"')
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["none.jsonl", "b.jsonl"], "no such file"),
        (["source.jsonl", "b.json"], "does not tell the format"),
        (["source.jsonl", "b", "--to", "xml"], "no format 'xml' to write"),
        (["source.jsonl", "b.jsonl", "--from", "xml"], "no format 'xml'"),
        (["source.jsonl", "b.jsonl", "--from", "top"], "source.jsonl:1"),
        (["source.jsonl", "source.jsonl"], "exists"),
    ],
)
def test_other_faults(command, refused, source, tmp_path, monkeypatch, arguments, told):
    monkeypatch.chdir(tmp_path)
    refused(command("data", "convert", *arguments), told)
    assert [path.name for path in tmp_path.iterdir()] == ["source.jsonl"]


def test_dialogues_keep_their_turns(command, refused, tmp_path):
    source, target = "embedded:home-dialogues/dev", tmp_path / "dev.jsonl"
    result = command("data", "convert", source, target)
    assert result.code == 0
    dialogues = read_dialogues(source)
    assert f"{len(dialogues)} dialogues" in result.out.decode()
    assert read_dialogues(target) == dialogues
    refused(
        command("data", "convert", source, tmp_path / "b.jsonl", "--tokenise"),
        "--tokenise",
    )


def test_what_the_user_said_in_dialogues(command, tmp_path):
    source, target = "embedded:home-dialogues/dev", tmp_path / "dev.jsonl"
    assert command("data", "convert", source, target, "--to", "json-lines").code == 0
    assert [u.text for u in read(target)] == [u.text for u in read(source)]
