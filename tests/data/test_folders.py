"""Data that are spread over the files of a folder."""

import json

import pytest

from keras_slu.data import iter_utterances
from keras_slu.data import read
from keras_slu.errors import InputError

RASA = "nlu:\n- intent: {name}\n  examples: |\n    - {name}\n"


def snips(name):
    return json.dumps({name: [{"data": [{"text": name}]}]})


def test_rasa_files_are_read_together_by_name(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.yml").write_text(RASA.format(name=name))
    (tmp_path / "stories.yml").write_text("stories: []\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0")
    (tmp_path / ".hidden").write_text("x")
    told = []
    read_ = list(iter_utterances(tmp_path, report=lambda *what: told.append(what)))
    assert [utterance.text for utterance in read_] == ["a", "b"]
    assert [(severity, fault.file) for severity, fault in told] == [
        ("warning", str(tmp_path / "picture.png")),
        ("warning", str(tmp_path / "stories.yml")),
    ]


def test_two_formats_are_refused_unless_one_is_named(tmp_path):
    (tmp_path / "a.yml").write_text(RASA.format(name="a"))
    (tmp_path / "b.json").write_text(snips("b"))
    with pytest.raises(InputError, match="holds both rasa-yaml and snips-json"):
        read(tmp_path)
    assert [u.text for u in read(tmp_path, "snips-json")] == ["b"]
    with pytest.raises(InputError, match="holds nothing to read together"):
        read(tmp_path, "json-lines")


def test_splits_are_never_read_together(tmp_path):
    for name in ("train", "test"):
        (tmp_path / f"{name}.json").write_text(snips(name))
    with pytest.raises(InputError, match="Name one: test.json, train.json."):
        read(tmp_path)


def test_a_fault_names_its_file(tmp_path):
    (tmp_path / "a.yml").write_text(RASA.format(name="a"))
    (tmp_path / "b.yml").write_text("nlu:\n- intent: b\n")
    with pytest.raises(InputError) as caught:
        read(tmp_path)
    assert (caught.value.file, caught.value.line) == (str(tmp_path / "b.yml"), 2)
