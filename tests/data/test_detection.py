"""Telling the format by the content."""

import gzip
import json

import pytest

from keras_slu.data.detection import detect

SNIPS_NLU = {"language": "en", "intents": {}}
CONTENTS = {
    "json-lines": '{"intent": "a", "text": "b"}\n{"text":\n',
    "massive": '{"utt": "a", "annot_utt": "a", "text": "b"}\n',
    "slurp": '{"sentence": "a", "tokens": []}\n',
    "nlupp": '[\n {"text": "a"}\n]\n',
    "rasa-json": '{\n "rasa_nlu_data": {}\n}\n',
    "snips-json": '{\n "Play": [\n  {"data": []}]}\n',
    "snips-nlu": json.dumps(SNIPS_NLU, indent=1),
    "rasa-yaml": 'version: "3.1"\n\nnlu:\n- intent: a\n',
    "iob-lines": "BOS a EOS\tO O x\n",
    "word-tags": "a:O <=> x\n",
    "top": "domain\tutterance\tsemantic_parse\nx\ta\t[IN:A a ]\n",
    "csv": "Text;Intent\na;b\n",
    "dialogue-lines": '{"dialogue_id": "1", "turns": []}\n',
    "dialogue-iob": "Which one ?\nthis one|||O O|||a\n",
    "kvret-json": '[\n {"dialogue": [\n {"turn": "driver"}]}]\n',
    "conll": "\n# id = 3\n# made by hand\nplay O\nPlay\n",
}


@pytest.mark.parametrize("name", CONTENTS)
def test_by_content(tmp_path, name):
    path = tmp_path / "data"
    for content in (CONTENTS[name], "\ufeff" + CONTENTS[name].replace("\n", "\r\n")):
        path.write_bytes(content.encode())
        assert detect(path) == name
    packed = tmp_path / "data.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert detect(packed) == name


@pytest.mark.parametrize(
    "name", ["kvret-json", "nlupp", "rasa-json", "snips-json", "snips-nlu"]
)
def test_a_document_may_be_one_line(tmp_path, name):
    path = tmp_path / "data"
    path.write_text(" ".join(CONTENTS[name].split()))
    assert detect(path) == name


def test_conll_of_other_schemes(tmp_path):
    path = tmp_path / "data"
    path.write_text("吴 B-NAME\n重 M-NAME\n阳 E-NAME\n")
    assert detect(path) == "conll"


@pytest.mark.parametrize(
    ("file", "content", "name"),
    [
        ("a.jsonl", '{"lines": []}\n', "json-lines"),
        ("a.jsonl.gz", "", "json-lines"),
        ("a.json", "{x", "json-lines"),
        ("a.yml", "rules: []\n", "rasa-yaml"),
        ("a.csv", "a,b\n", "csv"),
        ("a.txt", "play it\n", None),
        ("a.md", "# Read me\n\ntext\n", None),
        ("a", "", None),
        ("a", '{"a": 3}', None),
        ("a", "[" * 100_000, "nlupp"),
    ],
)
def test_by_name_where_the_content_does_not_tell(tmp_path, file, content, name):
    packed = content.encode()
    if file.endswith(".gz"):
        packed = gzip.compress(packed)
    (tmp_path / file).write_bytes(packed)
    assert detect(tmp_path / file) == name
