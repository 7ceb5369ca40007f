"""The parser as a graph, against `Parser`."""

import numpy as np
import pytest
import tensorflow as tf
from untrained import INTENTS
from untrained import TAGS
from untrained import make_model

from keras_slu.export.parser_graph import ParserGraph
from keras_slu.parsing import Parser
from keras_slu.text.vocabulary import UNKNOWN

TEXTS = [
    "play hey jude",
    "",
    "\u3000 \n",
    "Book ROME, rome!",
    "听歌 😀 שלום \ufffd",
    "play hey jude rome " * 5,
    "\0",
]


@pytest.fixture(scope="module")
def model():
    return make_model()


@pytest.fixture(scope="module")
def graph(model):
    return ParserGraph(model)


def run(function, *inputs):
    return {name: value.numpy() for name, value in function(*inputs).items()}


def test_outputs_are_those_of_the_contract(graph):
    answers = run(graph.parse_texts, TEXTS)
    rows, single = len(TEXTS), 2
    shapes = {name: value.shape for name, value in answers.items()}
    assert shapes == {
        "intents": (rows, single),
        "intent_probabilities": (rows, single),
        "intent_active": (rows, single),
        "is_unknown": (rows,),
        "truncated": (rows,),
        "tokens": (rows, 16),
        "tags": (rows, 16),
        "starts": (rows, 16),
        "ends": (rows, 16),
        "slot_confidence": (rows, 16),
    }
    kinds = {name: value.dtype for name, value in answers.items()}
    for name in ("starts", "ends"):
        assert kinds[name] == np.int32
    for name in ("intent_probabilities", "slot_confidence"):
        assert kinds[name] == np.float32
    for name in ("intent_active", "is_unknown", "truncated"):
        assert kinds[name] == np.bool_
    # TensorFlow Serving encodes such outputs in base 64.
    assert not any(name.endswith("_bytes") for name in answers)


def test_padding_is_empty_and_minus_one(graph):
    answers = run(graph.parse_texts, TEXTS)
    padding = answers["starts"] < 0
    # No token, a row of padding; many, cut at the maximum.
    assert padding.all(axis=1).tolist() == [False, True, True] + 3 * [False] + [True]
    assert (~padding).sum(axis=1).tolist() == [3, 0, 0, 5, 5, 16, 0]
    assert (answers["ends"] < 0).tolist() == padding.tolist()
    assert (answers["tokens"] == b"").tolist() == padding.tolist()
    assert (answers["tags"] == b"").tolist() == padding.tolist()
    assert (answers["slot_confidence"] == -1.0).tolist() == padding.tolist()
    assert answers["truncated"].tolist() == 5 * [False] + [True, False]
    assert set(answers["tags"][~padding]) <= {tag.encode() for tag in TAGS}


@pytest.mark.parametrize(
    "heads",
    [
        {"slot_head": "crf"},
        {"slot_head": "softmax"},
        {"intent_head": "sigmoid", "intents": ["play", "book", "ask"]},
    ],
)
def test_answers_are_those_of_the_parser(heads):
    model = make_model(**heads)
    parser = Parser(model)
    graph = ParserGraph(model)
    answers = run(graph.parse_texts, TEXTS)
    tokens = [model.tokenizer.tokenize(text) for text in TEXTS]
    for row, (of_text, expected, frame) in enumerate(
        zip(tokens, parser.answers(tokens), parser.parse(TEXTS), strict=True)
    ):
        answer = {name: value[row] for name, value in answers.items()}
        kept = of_text[:16]
        found = [token.decode() for token in answer["tokens"][: len(kept)]]
        assert found == [token.text for token in kept]
        found = [tag.decode() for tag in answer["tags"][: len(kept)]]
        assert found == expected["tags"][:16]
        np.testing.assert_allclose(
            answer["slot_confidence"][: len(kept)],
            expected["slot_confidence"][: len(kept)],
            atol=1e-5,
        )
        names = [name.decode() for name in answer["intents"]]
        assert names == [intent.name for intent in frame.intents]
        np.testing.assert_allclose(
            answer["intent_probabilities"],
            [intent.probability for intent in frame.intents],
            atol=1e-6,
        )
        active = [intent.active for intent in frame.intents]
        assert answer["intent_active"].tolist() == active


def test_an_unknown_utterance_is_flagged():
    model = make_model()
    graph = ParserGraph(model)
    assert not run(graph.parse_texts, TEXTS)["is_unknown"].any()
    model.calibration.unknown_threshold.assign(1.1)
    assert run(graph.parse_texts, TEXTS)["is_unknown"].all()


def test_token_ids_give_the_same_answers(graph, model):
    by_text = run(graph.parse_texts, TEXTS)
    rows = graph._tokenizer.rows(tf.constant(TEXTS), 16)
    by_ids = run(graph.parse_token_ids, rows["token_ids"])
    assert set(by_text) - set(by_ids) == {"tokens", "starts", "ends"}
    for name in ("intents", "intent_active", "is_unknown"):
        np.testing.assert_array_equal(by_ids[name], by_text[name])
    has_tokens = by_text["starts"][:, 0] >= 0
    tags = (by_ids["tags"][has_tokens], by_text["tags"][has_tokens])
    np.testing.assert_array_equal(*tags)
    # Whoever sends the ids of an empty text sends one unknown word.
    assert (by_ids["tags"][~has_tokens] != b"").sum() == (~has_tokens).sum()


def test_token_ids_beyond_the_maximum_are_cut(graph):
    ids = np.full((2, 40), 3, np.int32)
    ids[1, 16:] = 0
    answers = run(graph.parse_token_ids, ids)
    assert answers["tags"].shape == (2, 16)
    assert answers["truncated"].tolist() == [True, False]
    np.testing.assert_array_equal(answers["tags"][0], answers["tags"][1])


def test_a_bad_row_of_token_ids_does_not_harm_its_neighbours(graph):
    good = [2, 3, 4, 5]
    mended = [2, UNKNOWN, UNKNOWN, UNKNOWN]
    faulty = [[2, -7, 10**6, 0], [2, 0, -(2**31), 2**31 - 1], [0, 0, 0, 0]]
    answers = run(graph.parse_token_ids, np.array([good, *faulty], np.int32))
    expected = [good, mended[:3] + [0], mended, [UNKNOWN, 0, 0, 0]]
    for row, ids in enumerate(expected):
        alone = run(graph.parse_token_ids, np.array([ids], np.int32))
        np.testing.assert_array_equal(answers["tags"][row], alone["tags"][0])
        np.testing.assert_allclose(
            answers["intent_probabilities"][row],
            alone["intent_probabilities"][0],
            atol=1e-6,
        )


def test_no_time_and_no_rows_are_answered(graph):
    answers = run(graph.parse_token_ids, np.zeros((2, 0), np.int32))
    assert answers["tags"].shape == (2, 1)
    for answers in (
        run(graph.parse_texts, tf.constant([], tf.string)),
        run(graph.parse_token_ids, np.zeros((0, 3), np.int32)),
    ):
        assert {value.shape[0] for value in answers.values()} == {0}


def test_a_model_of_one_tag_and_no_intents():
    graph = ParserGraph(make_model(intents=[""], tags=["O"]))
    answers = run(graph.parse_texts, ["play hey jude"])
    assert answers["intents"].shape == (1, 0)
    assert answers["tags"].tolist() == [[b"O"] * 3]


def test_ranking_adds_classes_up_and_breaks_ties_by_name(graph):
    assert INTENTS == ["", "book", "book#play", "play"]
    probabilities = tf.constant([[0.25, 0.25, 0.25, 0.25], [0.0, 0.125, 0.25, 0.625]])
    ranking = run(graph._ranking, {"intent_probabilities": probabilities})
    assert ranking["intents"].tolist() == [[b"book", b"play"], [b"play", b"book"]]
    assert ranking["intent_probabilities"].tolist() == [[0.5, 0.5], [0.875, 0.375]]
    assert ranking["intent_active"].tolist() == [[False, False], [True, False]]
