"""Exports of a punctuation run: the same marks as the run puts."""

import json
import random

import numpy as np
import pytest
import tensorflow as tf
from marked import MARKS
from marked import WORDS
from marked import make_model

import keras_slu
from keras_slu.errors import InputError
from keras_slu.export.litert import export_litert
from keras_slu.export.punctuation_exports import check_punctuation
from keras_slu.export.saved_model import export_saved_model
from keras_slu.parsing.mark_finder import MarkFinder
from keras_slu.parsing.punctuator import Punctuator

pytestmark = pytest.mark.slow  # minutes: `make test-slow`

LONG = " ".join(random.Random(0).choices(WORDS, k=75))
TEXTS = [
    LONG,
    "so what happened next nobody knows i don't",
    '  so,  what\r\n(happened) "next."  ',
    "听歌 zoë\u0301 שלום 😀 - 3.5 U.S. so?! so…",
    "",
    " ... ",
    "so",
]


@pytest.fixture(scope="module")
def punctuator():
    return Punctuator(make_model(window=32))


@pytest.fixture(scope="module")
def run(punctuator, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "marks"
    folder.mkdir()
    punctuator.model.save(folder / "model.keras")
    return folder


@pytest.fixture(scope="module")
def saved_model(run, tmp_path_factory):
    return export_saved_model(run, tmp_path_factory.mktemp("saved"))


@pytest.fixture(scope="module")
def device_model(run, tmp_path_factory):
    pytest.importorskip("ai_edge_litert")
    path = tmp_path_factory.mktemp("tflite") / "marks.tflite"
    export_litert(run, path, max_tokens=24, max_chars=70)
    return path


def test_a_saved_model_puts_the_marks_of_the_run(saved_model, punctuator):
    exported = keras_slu.load(saved_model)
    for text in TEXTS:
        assert exported.punctuate(text) == punctuator.punctuate(text)
    assert sum(punctuator.punctuate(LONG).count(sign) for sign in ",.?") > 10


def test_a_saved_model_tells_where_its_marks_stand(saved_model, punctuator):
    loaded = tf.saved_model.load(str(saved_model))
    answers = loaded.signatures["serving_default"](text=tf.constant(TEXTS))
    answers = {name: value.numpy() for name, value in answers.items()}
    for row, text in enumerate(TEXTS):
        put = [word for word in punctuator.words([text]) if word.mark]
        marks = [mark.decode() for mark in answers["marks"][row]]
        filling = len(marks) - len(put)
        assert marks == [word.mark for word in put] + [""] * filling
        ends = [word.end for word in put] + [-1] * filling
        assert answers["offsets"][row].tolist() == ends
        sure = [word.probability for word in put] + [-1.0] * filling
        np.testing.assert_allclose(answers["probabilities"][row], sure, atol=1e-4)


def test_one_empty_text_gives_a_row_of_padding(saved_model):
    loaded = tf.saved_model.load(str(saved_model))
    answers = loaded.signatures["serving_default"](text=tf.constant([""]))
    assert answers["text"].numpy().tolist() == [b""]
    assert answers["marks"].numpy().tolist() == [[b""]]
    assert answers["offsets"].numpy().tolist() == [[-1]]


def test_a_device_model_puts_the_marks_of_the_run(device_model, punctuator):
    exported = keras_slu.load(device_model)
    for text in TEXTS[1:]:
        assert exported.punctuate(text) == punctuator.punctuate(text)


def test_a_device_model_reads_one_window_and_says_so(device_model, punctuator):
    exported = keras_slu.load(device_model)
    answer = exported.run(exported.encode(LONG)[0])
    assert answer["truncated"] == 1
    words = LONG[:70].split()[:-1]
    assert 10 < len(words) <= 24
    ids = punctuator.model.vocabulary.ids(words)
    ((marks, probabilities),) = MarkFinder(punctuator.model).run([ids])
    assert answer["marks"][: len(words)].tolist() == marks.tolist()
    np.testing.assert_allclose(
        answer["probabilities"][: len(words)], probabilities.max(axis=1), atol=1e-4
    )
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    assert answer["ends"].tolist() == [*ends, *[-1] * (24 - len(words))]
    assert exported.punctuate(LONG).endswith(LONG[70:])
    assert exported.run(exported.encode(TEXTS[1])[0])["truncated"] == 0


def test_the_contract_says_what_the_outputs_are(device_model):
    contract = json.loads(device_model.with_suffix(".json").read_text())
    assert contract["task"] == "punctuation"
    assert contract["marks"] == MARKS
    assert contract["signs"] == ["", ",", ".", "?"]
    assert contract["outputs"]["ends"] == {"shape": [1, 24], "dtype": "int32"}
    assert contract["input"]["shape"] == [1, 71]


def test_token_ids_are_refused(run, tmp_path):
    with pytest.raises(InputError, match="cannot take token_ids"):
        export_litert(run, tmp_path / "marks.tflite", input="token_ids")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_answers_otherwise_is_refused(punctuator):
    class Wrong:
        def punctuate(self, text):
            return text

    with pytest.raises(RuntimeError, match="of 75 words another mark"):
        check_punctuation(punctuator, Wrong(), [LONG])
    check_punctuation(punctuator, punctuator, TEXTS)
