"""What each utterance shows by itself."""

import pytest

from keras_slu.data.blocks import Block
from keras_slu.data.text_checks import check_block
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Token
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.text.tokenizer import Tokenizer

GOOD = Utterance("dim the lamp", (), (SlotSpan("thing", 8, 12),), ("dim",), "a:1")


def findings(utterance, max_tokens=128):
    """Findings of an utterance that stands between faultless ones."""
    tokenizer = Tokenizer()
    block = Block([GOOD, utterance, GOOD], tokenizer)
    return list(check_block(block, tokenizer, max_tokens))


def only(utterance, **settings):
    [finding] = findings(utterance, **settings)
    assert (finding.file, finding.line) == ("data.jsonl", 7)
    return finding


def raw(text, *slots):
    return Utterance(text, (), tuple(slots), ("play",), "data.jsonl:7")


def test_nothing_is_wrong_with_good_text():
    assert findings(raw("Zoë, play 听歌 👩🏽‍🚀!", SlotSpan("name", 0, 3))) == []


@pytest.mark.parametrize(
    ("start", "end", "tokens"),
    [
        (5, 7, "the tokens there span 5:8 'hey'"),
        (6, 8, "the tokens there span 5:8 'hey'"),
        (4, 8, "the tokens there span 5:8 'hey'"),
        (4, 5, "no token is there"),
    ],
)
def test_slots_off_tokens(start, end, tokens):
    found = only(raw("play hey jude", SlotSpan("song", start, end)))
    assert (found.kind, found.severity) == ("slot_off_tokens", "error")
    assert f"spans {start}:{end}" in found.problem
    assert tokens in found.problem


def test_each_slot_off_tokens_is_told():
    slots = (SlotSpan("a", 0, 2), SlotSpan("b", 5, 8), SlotSpan("c", 9, 11))
    problems = [finding.problem for finding in findings(raw("play hey jude", *slots))]
    assert [problem.split()[1] for problem in problems] == ["'a'", "'c'"]


@pytest.mark.parametrize(
    ("character", "kind", "severity"),
    [
        ("\ud800", "surrogate", "error"),
        ("\x07", "separator", "warning"),
        ("\u00a0", "separator", "warning"),
        ("\u200b", "separator", "warning"),
        ("\n", "separator", "warning"),
    ],
)
def test_characters_that_do_not_survive(character, kind, severity):
    found = only(raw(f"play {character}jude {character}"))
    assert (found.kind, found.severity) == (kind, severity)
    assert found.problem.count(f"U+{ord(character):04X}") == 1


def test_a_separator_inside_a_token_is_an_error():
    text = "hey\u00a0jude"
    own = Utterance(text, (Token(text, 0, 8),), (), (), "data.jsonl:7")
    kinds = {finding.kind: finding for finding in findings(own)}
    assert kinds["separator"].severity == "error"
    assert kinds["other_tokens"].problem.endswith("'hey' 'jude' to the tokenizer")


def test_double_spaces():
    found = only(raw("play  hey   jude"))
    assert (found.kind, found.severity) == ("double_space", "warning")


@pytest.mark.parametrize("text", ["", " ", "\u200b"])
def test_texts_without_tokens(text):
    kinds = [finding.kind for finding in findings(raw(text))]
    assert kinds[-1] == "empty"


def test_long_utterances():
    assert findings(raw("a b c"), max_tokens=3) == []
    found = only(raw("a b c d"), max_tokens=3)
    assert found.kind == "too_long"
    assert found.problem == "4 tokens, of which a model reads 3"


def test_tokens_that_the_tokenizer_would_not_make():
    text, tokens = join_words(["it's", "nine", "o'clock"])
    found = only(Utterance(text, tokens, (), (), "data.jsonl:7"))
    assert (found.kind, found.severity) == ("other_tokens", "warning")
    assert found.problem == """the word "it's" is 'it' "'" 's' to the tokenizer"""


def test_text_outside_of_the_own_tokens():
    tokens = (Token("play", 0, 4),)
    found = only(Utterance("play it", tokens, (), (), "data.jsonl:7"))
    assert found.problem == "'it' is in no token, but is one to the tokenizer"
