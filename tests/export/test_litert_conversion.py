"""Conversion: names, what LiteRT lacks, and the tokenizer on all text."""

import numpy as np
import pytest
import tensorflow as tf

from keras_slu.data import read
from keras_slu.errors import InputError
from keras_slu.export.litert_conversion import convert
from keras_slu.layers.crf import CRF
from keras_slu.text.in_graph import InGraphTokenizer
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.tokenizer import code_points
from keras_slu.text.vocabulary import Vocabulary

litert = pytest.importorskip("ai_edge_litert.interpreter")

SIZE = 1024  # code points a row


def runner_of(model):
    interpreter = litert.Interpreter(model_content=model)
    return interpreter.get_signature_runner("serving_default")


def test_names_and_weights_are_kept():
    weight = tf.Variable([[2.0, 3.0]])

    @tf.function(input_signature=[tf.TensorSpec((1, 2), name="given")])
    def function(given):
        return {"second": given + 1.0, "first": given * weight}

    answer = runner_of(convert(function))(given=np.array([[1.0, 10.0]], "float32"))
    assert answer["first"].tolist() == [[2.0, 30.0]]
    assert answer["second"].tolist() == [[2.0, 11.0]]


def test_an_operation_that_litert_lacks_is_named():
    @tf.function(input_signature=[tf.TensorSpec((2, 2), name="given")])
    def function(given):
        return {"inverse": tf.linalg.inv(given)}

    with pytest.raises(InputError, match="LiteRT lacks: MatrixInverse"):
        convert(function)


def test_quantised_weights_are_smaller_and_near():
    random = np.random.default_rng(0)
    weight = tf.Variable(random.normal(size=(64, 256)).astype("float32"))
    row = random.normal(size=(1, 64)).astype("float32")

    @tf.function(input_signature=[tf.TensorSpec((1, 64), name="given")])
    def function(given):
        return {"product": given @ weight}

    sizes = {}
    for quantize, tolerance in (("none", 1e-4), ("float16", 0.05), ("dynamic", 0.5)):
        model = convert(function, quantize)
        sizes[quantize] = len(model)
        product = runner_of(model)(given=row)["product"]
        np.testing.assert_allclose(product, row @ weight.numpy(), atol=tolerance)
    assert sizes["float16"] < 0.6 * sizes["none"]
    assert sizes["dynamic"] < 0.4 * sizes["none"]


@pytest.mark.parametrize("hidden", [True, False])
def test_a_crf_keeps_its_rare_transitions_when_constants_are_hidden(hidden):
    # Only constants of more than 1024 numbers are quantised.
    crf, random = CRF(40), np.random.default_rng(1)
    potentials = random.normal(size=(1, 6, 40)).astype("float32")
    crf(potentials)
    crf.set_weights([6 * random.normal(size=w.shape) for w in crf.get_weights()])
    crf.hides_constants = hidden

    @tf.function(input_signature=[tf.TensorSpec((1, 6, 40), name="potentials")])
    def function(potentials):
        tags, confidence = crf.decode_with_confidence(potentials)
        return {"tags": tags, "confidence": confidence}

    answer = runner_of(convert(function, "dynamic"))(potentials=potentials)
    tags, confidence = crf.decode_with_confidence(potentials)
    is_same = np.array_equal(answer["tags"], tags)
    is_near = np.allclose(answer["confidence"], confidence, atol=1e-3)
    assert is_same == is_near == hidden


class ConvertedTokenizer:
    """The tokenizer and a vocabulary alone, as a LiteRT model."""

    def __init__(self, tokenizer, vocabulary):
        in_graph = InGraphTokenizer(tokenizer, vocabulary)

        @tf.function(input_signature=[tf.TensorSpec((SIZE,), tf.int32, name="text")])
        def function(text):
            names = ("token_ids", "starts", "ends")
            return {
                name: tf.pad(values, [[0, SIZE - tf.size(values)]], constant_values=-1)
                for name, values in zip(names, in_graph(text), strict=True)
            }

        self._run = runner_of(convert(function))

    def __call__(self, values):
        text = np.zeros(SIZE, np.int32)
        text[: len(values)] = values
        found = self._run(text=text)
        count = int((found["starts"] >= 0).sum())
        return [
            found[name][:count].tolist() for name in ("token_ids", "starts", "ends")
        ]


def expected(values, tokenizer, vocabulary):
    starts, ends = tokenizer.spans(values)
    text = "".join(map(chr, values))
    words = [
        tokenizer.fold(text[start:end]) for start, end in zip(starts, ends, strict=True)
    ]
    return [vocabulary.ids(words).tolist(), starts.tolist(), ends.tolist()]


@pytest.fixture(scope="module")
def corpora(shared_data):
    folders = [shared_data(name) for name in ("snips", "atis")]
    sources = [folder / "test" for folder in folders] + ["embedded:home/test"]
    return [utterance.text for source in sources for utterance in read(source)]


@pytest.mark.parametrize("mode", ["unicode", "whitespace"])
def test_the_tokenizer_is_the_same_on_corpora(mode, corpora):
    tokenizer = Tokenizer(mode)
    words = {
        tokenizer.fold(token.text)
        for text in corpora[::2]  # so that some words are unknown
        for token in tokenizer.tokenize(text)
    }
    vocabulary = Vocabulary(sorted(words))
    converted = ConvertedTokenizer(tokenizer, vocabulary)
    for text in corpora:
        values = code_points(text)
        assert converted(values) == expected(values, tokenizer, vocabulary), text


@pytest.mark.parametrize("mode", ["unicode", "whitespace"])
def test_the_tokenizer_is_the_same_on_all_code_points(mode):
    tokenizer, vocabulary = Tokenizer(mode), Vocabulary(["a", "zo\u00eb", "\u542c"])
    converted = ConvertedTokenizer(tokenizer, vocabulary)
    for start in range(0, 0x110000, SIZE):
        values = np.arange(start, start + SIZE, dtype=np.uint32)
        assert converted(values) == expected(values, tokenizer, vocabulary), start
    shuffled = np.random.default_rng(0).permutation(0x110000).astype(np.uint32)
    for start in range(0, 64 * SIZE, SIZE):
        values = shuffled[start : start + SIZE]
        assert converted(values) == expected(values, tokenizer, vocabulary), start
