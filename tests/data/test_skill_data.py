"""Each kind of task reads its formats, and is told what does not fit."""

import json

import pytest

from keras_slu.data.examples import Answer
from keras_slu.data.examples import Question
from keras_slu.data.examples import TextExample
from keras_slu.data.holding_out import hold_out
from keras_slu.data.sentence_tasks import answer_sentences
from keras_slu.data.sentence_tasks import next_sentences
from keras_slu.data.skill_data import read_examples
from keras_slu.errors import InputError


@pytest.mark.parametrize(
    "name, content, kind, format, found",
    [
        ("a.tsv", "text\tlabel\nx\t1\n", "classification", None, [("x", None, "1")]),
        ("a.jsonl", '{"text": "x", "label": 1}', "classification", None,
         [("x", None, "1")]),
        ("a.jsonl", '{"text": "x", "intent": "b#a"}', "classification", "utterances",
         [("x", None, "a#b")]),
        ("a", "x O\nmusic\n", "classification", None, [("x", None, "music")]),
        ("a.tsv", "text_a\ttext_b\tlabel\nx\ty\t1\n", "ranking", None,
         [("x", "y", "1")]),
        ("a.jsonl", '{"text": "一。二。"}', "masked_pieces", "utterances", "一。二。"),
    ],
)  # fmt: skip
def test_formats(tmp_path, name, content, kind, format, found):
    path = tmp_path / name
    path.write_text(content)
    examples = read_examples([path], kind, format)
    wanted = [item if kind == "masked_pieces" else TextExample(*item) for item in found]
    assert examples == (["一。二。"] if kind == "masked_pieces" else wanted)


def test_files_are_read_one_after_another(tmp_path):
    (tmp_path / "a.tsv").write_text("text\tlabel\nx\t1\nx\t0\n")
    (tmp_path / "b.jsonl").write_text('{"text": "y", "label": "0"}\n')
    paths = [tmp_path / "a.tsv", tmp_path / "b.jsonl"]
    examples = read_examples(paths, "classification")
    assert [example.text for example in examples] == ["x", "x", "y"]
    assert read_examples(paths, "masked_pieces") == ["x", "y"]


@pytest.mark.parametrize(
    "content, kind, format, told",
    [
        ("text\tlabel\nx\t1\n", "pair", None, "a.tsv:2: has 1 text, but the kind"),
        ("text\ttext_b\tlabel\nx\ty\t1\n", "classification", None,
         "a.tsv:2: has 2 texts, but the kind 'classification'"),
        ("text\tlabel\n", "classification", None, "a.tsv: holds no example"),
        ("text\tlabel\n", "span", "text-table", "'text-table' is not for the kind"),
        ("x O\n", "classification", "utterances", "a.tsv:1: has no intent"),
    ],
)  # fmt: skip
def test_faults(tmp_path, content, kind, format, told):
    path = tmp_path / "a.tsv"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_examples([path], kind, format)
    assert told in str(error.value)


def test_sentences_with_an_answer():
    question = Question("哪？", "在京。不在沪。", (Answer("沪", 5), Answer("京", 1)))
    other = Question("谁？", "我。")
    assert answer_sentences([question, other]) == [
        TextExample("哪？", "在京。", "1"),
        TextExample("哪？", "不在沪。", "1"),
        TextExample("谁？", "我。", "0"),
    ]


def test_next_sentences_follow_or_are_of_another_text():
    texts = [
        "".join(f"{name}{place}。" for place in range(100)) for name in ("a", "b", "c")
    ]
    examples = next_sentences([*texts, "one sentence only"])
    assert len(examples) == 3 * 99
    for example in examples:
        one, place = example.text[0], int(example.text[1:-1])
        if example.label == "next":
            assert example.second == f"{one}{place + 1}。"
        else:
            assert example.second[0] in {"a", "b", "c"} - {one}
    share = sum(example.label == "next" for example in examples) / len(examples)
    assert 0.4 < share < 0.6
    assert next_sentences(texts) == next_sentences(texts)


def test_documents_stay_together():
    pairs = [TextExample(f"t{place // 3}", str(place), "1") for place in range(60)]
    kept, held = hold_out(pairs, 0.1)
    assert len(held) == 6
    assert not {pair.text for pair in kept} & {pair.text for pair in held}
    assert sorted(kept + held, key=pairs.index) == pairs
    questions = [Question(str(place), f"p{place // 4}") for place in range(40)]
    kept, held = hold_out(questions, 0.2)
    assert len(held) == 8 and len({question.passage for question in held}) == 2


def test_too_few_documents_to_hold_out():
    with pytest.raises(InputError, match="of 1 documents a share of 0.5"):
        hold_out(["a", "a"], 0.5)


@pytest.mark.parametrize(
    "name, kind, format, count",
    [
        ("zh/resume_ner/test.bmes.gz", "tagging", None, 477),
        ("zh/weibo_ner/test.bio.gz", "tagging", None, 270),
        ("zh/cluener/dev.jsonl.gz", "tagging", "cluener", 1343),
        ("iwslt2011/small_dev.tsv.gz", "tagging", "marked-words", 603),
        ("snips/test", "classification", None, 700),
        ("snips/test", "tagging", None, 700),
        ("zh/cmrc2018/trial.json.gz", "span", None, 1002),
        ("zh/cmrc2018/trial.json.gz", "ranking", "answer-sentences", 12952),
        ("zh/cmrc2018/trial.json.gz", "masked_pieces", None, 256),
        ("zh/cmrc2018/trial.json.gz", "pair", "next-sentences", 3025),
        ("zh/chnsenticorp/test.tsv.gz", "masked_pieces", None, 1178),
    ],
)
def test_published_files(shared_data, name, kind, format, count):
    assert len(read_examples([shared_data(name)], kind, format)) == count


def test_a_squad_file_is_read_whole_or_not_at_all(tmp_path):
    paragraph = {"context": "京", "qas": [{"question": "q", "answers": []}]}
    bad = {"context": "京", "qas": [{"answers": []}]}
    document = {"data": [{"paragraphs": [paragraph, bad]}]}
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match="without"):
        read_examples([tmp_path / "a.json"], "span")
