"""The table: classes and folds of all code points."""

import sys
import unicodedata

import numpy as np
import pytest

from keras_slu.text.table import CODE_POINTS
from keras_slu.text.table import IDEOGRAPH
from keras_slu.text.table import JOINER
from keras_slu.text.table import MARK
from keras_slu.text.table import SEPARATOR
from keras_slu.text.table import SINGLE
from keras_slu.text.table import SPACE
from keras_slu.text.table import WORD
from keras_slu.text.table import make_table


def all_characters():
    return map(chr, range(CODE_POINTS))


@pytest.mark.parametrize(
    ("characters", "expected"),
    [
        (" \t\n\r\0\x85\xa0\u3000\u200b\u2028\ufeff\u200e\u202e\x1f\x7f", SPACE),
        ("aZ9éßŞЖאب한½²ªﬁ\u0600", WORD),
        ("日本㐀𠀀〇々ひカｶーไกຂကខㄅꀀ\U0002fa1d\u9fff", IDEOGRAPH),
        (".,!?'’-_$+→😀。「」🇩\ue000\ufffd\ud800\udfff\U0001fafe", SINGLE),
        ("\u0301\u0e34\u0e31\u094d\u20e3\ufe0f\u200c\xad\u2060🏽ﾞ\U000e0067", MARK),
        ("\u200d", JOINER),
    ],
)
def test_the_classes_of_some_characters(characters, expected):
    classes = make_table("unicode", True).classes
    found = {character: classes[ord(character)] for character in characters}
    assert found == dict.fromkeys(characters, expected)


def test_every_white_space_and_control_is_a_space_in_both_modes():
    spaces = [
        code
        for code, character in enumerate(all_characters())
        if character.isspace() or unicodedata.category(character)[0] == "Z"
    ]
    spaces += [*range(0x20), *range(0x7F, 0xA0)]
    for mode in ("unicode", "whitespace"):
        assert (make_table(mode, True).classes[spaces] == SPACE).all()


def test_separator_is_the_space_class_of_both_modes():
    matched = [
        SEPARATOR.fullmatch(character) is not None for character in all_characters()
    ]
    for mode in ("unicode", "whitespace"):
        spaces = make_table(mode, True).classes == SPACE
        assert spaces.tolist() == matched


def test_whitespace_mode_knows_two_classes():
    assert set(make_table("whitespace", True).classes.tolist()) == {SPACE, WORD}


def test_every_combining_character_is_a_mark():
    classes = make_table("unicode", True).classes
    marks = [
        code
        for code, character in enumerate(all_characters())
        if unicodedata.category(character)[0] == "M"
    ]
    assert (classes[marks] == MARK).all()


def test_fold_is_case_fold_or_lower_case_of_one_code_point():
    fold = make_table("unicode", True).fold.tolist()
    for character, folded in zip(all_characters(), map(chr, fold), strict=True):
        if len(character.casefold()) == 1:
            assert folded == character.casefold()
        elif len(character.lower()) == 1:
            assert folded == character.lower()
        else:
            assert folded == {"İ": "i"}.get(character, character)


def test_fold_of_a_fold_changes_nothing():
    fold = make_table("unicode", True).fold
    np.testing.assert_array_equal(fold[fold], fold)


def test_without_lowercase_the_fold_is_the_identity():
    fold = make_table("whitespace", False).fold
    np.testing.assert_array_equal(fold, np.arange(CODE_POINTS))


def test_a_shared_table_cannot_be_changed():
    table = make_table("unicode", True)
    with pytest.raises(ValueError, match="read-only"):
        table.classes[0] = WORD


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="bert"):
        make_table("bert", True)


def test_the_highest_code_point_is_in_the_table():
    assert len(make_table("unicode", True).classes) == sys.maxunicode + 1
