"""The tokenizer in the graph against the one in NumPy, token by token."""

import itertools
import string

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_slu.data import read
from keras_slu.text.in_graph import InGraphTokenizer
from keras_slu.text.table import CODE_POINTS
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.tokenizer import code_points
from keras_slu.text.vocabulary import PADDING
from keras_slu.text.vocabulary import UNKNOWN
from keras_slu.text.vocabulary import Vocabulary

WORDS = (
    "play zoë straße i 听 歌 😀 👩🏽 e\u0301 . ! hey a#b 1\ufe0f\u20e3 \ufffd".split()
)
ODD = (
    "aBi9éİẞſ \t\0.,'-_😀👩🏽🇩🇪日ひカﾞーไทยกำخदे听歌"
    "\u0301\u0308\u200d\ufe0f\u20e3\u200f\xad\ud800\ufffd"
)
ENDINGS = ["\t" + ending for ending in "y ay ße e\u0301 \u0301 00 0 歌 .'".split()]
TEXTS = st.one_of(
    st.text(st.sampled_from(ODD)),
    st.text(st.characters()),
    st.lists(st.sampled_from(WORDS)).map(" ".join),
    st.text("xayße\u0301 1290٣歌.'"),
)
TOKENIZERS = {
    "unicode": Tokenizer(),
    "whitespace": Tokenizer("whitespace"),
    "case": Tokenizer(lowercase=False),
}


class Both:
    """A tokenizer with a vocabulary in both forms."""

    def __init__(self, tokenizer, vocabulary):
        self.tokenizer, self.vocabulary = tokenizer, vocabulary
        self.in_graph = InGraphTokenizer(tokenizer, vocabulary)
        flat = tf.TensorSpec((None,), tf.int32)
        self.graph = tf.function(self.in_graph, input_signature=[flat])
        self.rows = tf.function(
            self.in_graph.rows,
            input_signature=[
                tf.TensorSpec((None,), tf.string),
                tf.TensorSpec((), tf.int32),
            ],
        )

    def expected(self, codepoints, text):
        starts, ends = self.tokenizer.spans(codepoints)
        words = [
            self.tokenizer.fold(text[start:end])
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        return self.vocabulary.ids(words), starts, ends

    def check(self, text):
        codepoints = code_points(text).astype(np.int32)
        for found, expected in zip(
            self.graph(codepoints), self.expected(codepoints, text), strict=True
        ):
            assert found.dtype == tf.int32
            np.testing.assert_array_equal(found, expected)


@pytest.fixture(scope="module", params=[*TOKENIZERS, "endings"])
def both(request):
    if request.param == "endings":
        return Both(TOKENIZERS["whitespace"], Vocabulary(WORDS + ENDINGS))
    return Both(TOKENIZERS[request.param], Vocabulary(WORDS))


@given(TEXTS)
@settings(max_examples=150, deadline=None)
def test_agrees_on_odd_text(both, text):
    both.check(text)


@pytest.mark.parametrize("text", ["", " ", "\0\0", "play", "\u0301", "\u200d" * 3])
def test_agrees_on_next_to_nothing(both, text):
    both.check(text)


def test_every_code_point_is_classified_and_folded_as_the_table_says(both):
    codepoints = np.arange(CODE_POINTS, dtype=np.int32)
    kinds, folded = both.in_graph._classify(codepoints)
    np.testing.assert_array_equal(kinds, both.tokenizer.table.classes)
    np.testing.assert_array_equal(folded, both.tokenizer.table.fold)


@pytest.mark.parametrize("template", ["{} ", "a{}b ", ".{}\u200d! ", "听{} "])
def test_spans_agree_around_every_code_point(both, template):
    rows = np.tile(code_points(template.format(" ")), (CODE_POINTS, 1))
    rows[:, template.index("{")] = np.arange(CODE_POINTS)
    codepoints = rows.astype(np.int32).ravel()
    _, *found = both.graph(codepoints)
    np.testing.assert_array_equal(found, both.tokenizer.spans(codepoints))


def check_with_most_words_known(tokenizer, texts):
    text = "\n".join(texts)
    words = [tokenizer.fold(token.text) for token in tokenizer.tokenize(text)]
    known = words[: len(words) * 3 // 4]
    assert set(words) > set(known)
    for longest_ending in (0, 4):
        vocabulary = Vocabulary.build(known, longest_ending=longest_ending)
        Both(tokenizer, vocabulary).check(text)


@pytest.mark.parametrize("mode", ["unicode", "whitespace"])
@pytest.mark.parametrize("data", ["snips", "atis", "embedded:home"])
def test_agrees_on_real_data(shared_data, data, mode):
    folder = data if data.startswith("embedded:") else shared_data(data)
    splits = [read(f"{folder}/{split}") for split in ("train", "dev", "test")]
    texts = [utterance.text for split in splits for utterance in split]
    check_with_most_words_known(TOKENIZERS[mode], texts)


def test_agrees_on_what_a_recogniser_heard(shared_data):
    path = shared_data("iwslt2011/test2011asr.tsv")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(lines) > 1000
    check_with_most_words_known(TOKENIZERS["unicode"], lines)


def test_what_is_no_code_point_reads_as_a_replacement(both):
    good = np.array([97, 0xFFFD, 98, 32, 0xFFFD, 0xFFFD], np.int32)
    bad = np.array([97, -1, 98, 32, CODE_POINTS, -(2**31)], np.int32)
    for found, expected in zip(both.graph(bad), both.graph(good), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_large_vocabulary_of_short_words_has_no_two_alike():
    letters = string.ascii_lowercase
    words = ["".join(word) for word in itertools.product("aq", *3 * [letters])]
    vocabulary = Vocabulary(words)
    in_graph = InGraphTokenizer(Tokenizer(), vocabulary)
    ids, _, _ = in_graph(code_points(" ".join(words)).astype(np.int32))
    np.testing.assert_array_equal(ids, vocabulary.ids(words))
    others = [word[:-1] + "1" for word in words] + [word + "a" for word in words]
    ids, _, _ = in_graph(code_points(" ".join(others)).astype(np.int32))
    assert (ids.numpy() == UNKNOWN).all()


def test_words_of_one_first_hash_are_told_apart(monkeypatch):
    from keras_slu.text import in_graph as module

    real = module._distinct_hashes

    def half_alike(vocabulary):
        weights, of_endings, _ = real(vocabulary)
        weights[:, 0] = 1  # an anagram has the same sum
        words = [code_points(word).astype(np.int32) for word in vocabulary.words]
        hashes = [(word[:, None] * weights[: len(word)]).sum(0) for word in words]
        return weights, of_endings, np.array(hashes, np.int64).astype(np.int32)

    monkeypatch.setattr(module, "_distinct_hashes", half_alike)
    words = "abc acb bac bca cab zzz".split()
    both = Both(Tokenizer(), Vocabulary(words))
    both.check("zzz cab bca bac acb abc cba aad")


@given(
    st.lists(
        st.binary(max_size=12)
        | TEXTS.map(lambda text: text.encode("utf-8", "replace")),
        max_size=4,
    ),
    st.integers(1, 5),
)
@settings(max_examples=100, deadline=None)
def test_rows_are_those_of_each_text_alone(both, texts, max_tokens):
    rows = {
        name: value.numpy()
        for name, value in both.rows(tf.constant(texts, tf.string), max_tokens).items()
    }
    tokens = [both.tokenizer.tokenize(t.decode("utf-8", "replace")) for t in texts]
    time = max([min(max_tokens, len(of_text)) for of_text in tokens] + [1])
    for place, of_text in enumerate(tokens):
        kept = of_text[:max_tokens]
        pad = time - len(kept)
        words = [both.tokenizer.fold(token.text) for token in kept]
        ids = both.vocabulary.ids(words).tolist() or [UNKNOWN]
        row = {name: value[place].tolist() for name, value in rows.items()}
        assert row["token_ids"] == ids + [PADDING] * (time - len(ids))
        assert row["starts"] == [token.start for token in kept] + [-1] * pad
        assert row["ends"] == [token.end for token in kept] + [-1] * pad
        assert row["tokens"] == [token.text.encode() for token in kept] + [b""] * pad
        assert row["truncated"] == (len(of_text) > max_tokens)
    assert rows["token_ids"].shape == (len(texts), time)


def test_the_graph_is_small_and_of_builtin_operations(both, tmp_path):
    function = tf.function(InGraphTokenizer(both.tokenizer, both.vocabulary).__call__)
    concrete = function.get_concrete_function(tf.TensorSpec((64,), tf.int32))
    assert len(concrete.graph.as_graph_def().SerializeToString()) < 160_000
    converter = tf.lite.TFLiteConverter.from_concrete_functions([concrete])
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS]
    model = converter.convert()

    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(model_content=model)
    interpreter.allocate_tensors()
    for text in ("Play zoë, 听歌!", "\u200d\u0301", "", "x" * 64):
        codepoints = np.zeros(64, np.int32)
        codepoints[: len(text)] = code_points(text)
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], codepoints)
        interpreter.invoke()
        found = [
            interpreter.get_tensor(output["index"])
            for output in interpreter.get_output_details()
        ]
        for ours, expected in zip(found, both.graph(codepoints), strict=True):
            np.testing.assert_array_equal(ours, expected)
