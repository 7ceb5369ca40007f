"""The tokenizer against a slow reference, real data and damaged files."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_slu.data import read
from keras_slu.data.utterance import Token
from keras_slu.errors import InputError
from keras_slu.text.table import CODE_POINTS
from keras_slu.text.table import IDEOGRAPH
from keras_slu.text.table import JOINER
from keras_slu.text.table import MARK
from keras_slu.text.table import SINGLE
from keras_slu.text.table import SPACE
from keras_slu.text.table import WORD
from keras_slu.text.tokenizer import Tokenizer
from keras_slu.text.tokenizer import code_points

UNICODE = Tokenizer()
WHITESPACE = Tokenizer("whitespace")
ODD = (
    "aB9é \t\0.,'-_😀👩🏽🇩🇪日ひカﾞーไทยกำخदे"
    "\u0301\u0308\u200d\ufe0f\u20e3\u200f\xad\ud800"
)


def words(tokenizer, text):
    return [token.text for token in tokenizer.tokenize(text)]


def slow_tokens(classes, text):
    """The rules, one character at a time."""
    tokens = []
    kind = SPACE  # of the token that the character before belongs to
    before = ""
    for place, character in enumerate(text):
        own = classes[ord(character)]
        joins = before and classes[ord(before)] == JOINER
        before = character
        if own == SPACE:
            kind = SPACE
        elif own in (MARK, JOINER) and kind != SPACE:
            tokens[-1][1] = place + 1
        elif own == kind == WORD or (own == kind == SINGLE and joins):
            tokens[-1][1] = place + 1
        else:
            tokens.append([place, place + 1])
            kind = WORD if own in (MARK, JOINER) else own
    return tuple(Token(text[start:end], start, end) for start, end in tokens)


@given(st.text(st.sampled_from(ODD)) | st.text(st.characters()))
@settings(max_examples=500, deadline=None)
def test_agrees_with_the_slow_reference_on_odd_text(text):
    for tokenizer in (UNICODE, WHITESPACE):
        tokens = tokenizer.tokenize(text)
        assert tokens == slow_tokens(tokenizer.table.classes, text)
        assert all(text[token.start : token.end] == token.text for token in tokens)


def test_agrees_with_the_slow_reference_on_every_short_sequence_of_classes():
    for length in range(6):
        for letters in itertools.product("a .日\u0301\u200d", repeat=length):
            text = "".join(letters)
            expected = slow_tokens(UNICODE.table.classes, text)
            assert UNICODE.tokenize(text) == expected


@pytest.mark.parametrize("tokenizer", [UNICODE, WHITESPACE])
def test_every_code_point_alone_is_a_token_or_a_space(tokenizer):
    codes = np.arange(CODE_POINTS)
    alone = np.stack([codes, np.full_like(codes, ord(" "))], axis=1)
    starts, ends = tokenizer.spans(alone.ravel())
    expected = 2 * np.flatnonzero(tokenizer.table.classes != SPACE)
    np.testing.assert_array_equal(starts, expected)
    np.testing.assert_array_equal(ends, expected + 1)


@pytest.mark.parametrize("tokenizer", [UNICODE, WHITESPACE])
def test_every_code_point_between_letters_does_as_its_class_says(tokenizer):
    codes = np.arange(CODE_POINTS)
    a, b, space = (np.full_like(codes, ord(letter)) for letter in "ab ")
    starts, ends = tokenizer.spans(np.stack([a, codes, b, space], axis=1).ravel())
    none = (-1, -1)
    bounds = {
        SPACE: [(0, 1), (2, 3), none],
        WORD: [(0, 3), none, none],
        SINGLE: [(0, 1), (1, 2), (2, 3)],
        IDEOGRAPH: [(0, 1), (1, 2), (2, 3)],
        MARK: [(0, 3), none, none],
        JOINER: [(0, 3), none, none],
    }
    local = np.array([bounds[kind] for kind in sorted(bounds)])
    local = local[tokenizer.table.classes]
    expected = (local + 4 * codes[:, None, None])[local[..., 0] >= 0]
    np.testing.assert_array_equal(np.stack([starts, ends], axis=1), expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\0 ", []),
        ("hi", ["hi"]),
        ("wake me at 7:30!", ["wake", "me", "at", "7", ":", "30", "!"]),
        ("e\u0301a \u0301b", ["e\u0301a", "\u0301b"]),
        ("\u0301\u0302", ["\u0301\u0302"]),
        ("!\u0301a", ["!\u0301", "a"]),
        ("播放hey jude吧", ["播", "放", "hey", "jude", "吧"]),
        ("กำลัง", ["ก", "ำ", "ล\u0e31", "ง"]),
        ("שָׁלוֹם, עולם", ["שָׁלוֹם", ",", "עולם"]),
        ("\u202bשלום\u202c", ["שלום"]),
        ("👩\u200d👩\u200d👧😀", ["👩\u200d👩\u200d👧", "😀"]),
        ("👍🏽ok 1\ufe0f\u20e3", ["👍🏽", "ok", "1\ufe0f\u20e3"]),
        ("क्षमा करें", ["क्षमा", "करें"]),
        ("a\ud800b", ["a", "\ud800", "b"]),
    ],
)
def test_unicode_mode(text, expected):
    assert words(UNICODE, text) == expected


@pytest.mark.parametrize("data", ["snips", "atis"])
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_whitespace_mode_keeps_gold_tokens(shared_data, data, split):
    for utterance in read(shared_data(f"{data}/{split}")):
        assert WHITESPACE.tokenize(utterance.text) == utterance.tokens


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_unicode_mode_keeps_gold_tokens_of_chinese(shared_data, split):
    classes = UNICODE.table.classes
    for utterance in read(shared_data(f"cais/{split}")):
        gold = [token.text for token in utterance.tokens]
        assert UNICODE.tokenize(utterance.text) == utterance.tokens
        # Written as people write it, without spaces, only what is no word
        # keeps its own token: letters and digits that touch become words.
        glued = []
        for is_word, group in itertools.groupby(
            gold, lambda word: classes[ord(word)] == WORD
        ):
            letters = list(group)
            glued += ["".join(letters)] if is_word else letters
        assert words(UNICODE, "".join(gold)) == glued


def test_spans_are_int32_and_take_any_int_array():
    for dtype in (np.int32, np.int64, np.uint32):
        starts, ends = UNICODE.spans(np.array([97, 32, 98, 99], dtype))
        assert starts.dtype == ends.dtype == np.int32
        assert (starts.tolist(), ends.tolist()) == ([0, 2], [1, 4])


@pytest.mark.parametrize("code", [-1, CODE_POINTS])
def test_spans_refuse_what_is_no_code_point(code):
    with pytest.raises(IndexError):
        UNICODE.spans(np.array([97, code]))


@given(st.text(st.characters()))
def test_code_points_are_those_of_the_text(text):
    assert code_points(text).tolist() == [ord(character) for character in text]


def test_fold_follows_the_table():
    text = "".join(map(chr, range(CODE_POINTS)))
    np.testing.assert_array_equal(code_points(UNICODE.fold(text)), UNICODE.table.fold)
    assert UNICODE.fold("İSTANBUL Straße") == "istanbul straße"
    assert Tokenizer(lowercase=False).fold("İSTANBUL") == "İSTANBUL"


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="bert"):
        Tokenizer("bert")


@pytest.mark.parametrize("mode", ["unicode", "whitespace"])
@pytest.mark.parametrize("lowercase", [True, False])
def test_a_saved_tokenizer_is_small_and_loads_the_same(tmp_path, mode, lowercase):
    tokenizer = Tokenizer(mode, lowercase)
    path = tmp_path / "run" / "tokenizer.npz"
    tokenizer.save(path)
    assert path.stat().st_size < 40_000
    loaded = Tokenizer.load(path)
    assert (loaded.mode, loaded.lowercase) == (mode, lowercase)
    np.testing.assert_array_equal(loaded.table.classes, tokenizer.table.classes)
    np.testing.assert_array_equal(loaded.table.fold, tokenizer.table.fold)
    assert loaded.tokenize(ODD) == tokenizer.tokenize(ODD)
    assert loaded.fold(ODD) == tokenizer.fold(ODD)


def test_a_loaded_tokenizer_follows_the_table_of_its_file(tmp_path):
    path = tmp_path / "tokenizer.npz"
    UNICODE.save(path)
    with np.load(path) as arrays:
        changed = dict(arrays)
    changed["classes"][ord("x")] = SINGLE
    changed["fold_shift"][ord("y")] = 1
    np.savez(path, **changed)
    loaded = Tokenizer.load(path)
    assert words(loaded, "axy") == ["a", "x", "y"]
    assert loaded.fold("xy") == "xz"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mode", np.array("bert")),
        ("mode", np.array(1)),
        ("lowercase", np.array(1)),
        ("classes", np.zeros(3, np.uint8)),
        ("classes", np.zeros(CODE_POINTS, np.int64)),
        ("classes", np.full(CODE_POINTS, JOINER + 1, np.uint8)),
        ("fold_shift", np.full(CODE_POINTS, -1, np.int32)),
        ("fold_shift", np.full(CODE_POINTS, 1, np.int32)),
        ("fold_shift", None),
        ("classes", np.array([{}], dtype=object)),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, name, value):
    path = tmp_path / "tokenizer.npz"
    UNICODE.save(path)
    with np.load(path) as arrays:
        changed = {**arrays, name: value}
    if value is None:
        del changed[name]
    np.savez(path, **changed)
    with pytest.raises(InputError, match="damaged") as caught:
        Tokenizer.load(path)
    assert caught.value.file == str(path)


def test_a_damaged_file_is_refused(tmp_path):
    path = tmp_path / "tokenizer.npz"
    UNICODE.save(path)
    whole = path.read_bytes()
    array = tmp_path / "array.npy"
    np.save(array, np.zeros(2))
    for damaged in (b"", b"hello", whole[:4000], whole[4000:], array.read_bytes()):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match="damaged"):
            Tokenizer.load(path)


def test_flipped_bytes_load_the_same_or_are_refused(tmp_path):
    path = tmp_path / "tokenizer.npz"
    UNICODE.save(path)
    whole = path.read_bytes()
    for place in range(0, len(whole), len(whole) // 40):
        flipped = bytearray(whole)
        flipped[place] ^= 0x55
        path.write_bytes(flipped)
        try:
            loaded = Tokenizer.load(path)
        except InputError:
            continue
        np.testing.assert_array_equal(loaded.table.classes, UNICODE.table.classes)
        np.testing.assert_array_equal(loaded.table.fold, UNICODE.table.fold)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(InputError, match="Check the path"):
        Tokenizer.load(tmp_path / "none.npz")
    with pytest.raises(InputError, match="Check the path"):
        Tokenizer.load(tmp_path)
