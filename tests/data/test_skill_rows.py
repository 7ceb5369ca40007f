"""Rows of each kind: places, windows, what is cut."""

import numpy as np
import pytest

from keras_slu.data.examples import Answer
from keras_slu.data.examples import Question
from keras_slu.data.examples import TextExample
from keras_slu.data.masking import mask_pieces
from keras_slu.data.skill_data import read_examples
from keras_slu.data.skill_rows import encode_examples
from keras_slu.data.skill_task import SkillTask
from keras_slu.data.tokenising import tokenised
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.data.words import join_words
from keras_slu.text.piece_counts import make_piece_vocabulary
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces

PIECES = WordPieces([*SPECIAL, *"abcdefgh", *(f"##{c}" for c in "abcdefgh")])
A, B, C = 5, 6, 7
PAIR = SkillTask("p", "pair", ("no", "yes"), ("s1",))
TAGS = SkillTask("t", "tagging", ("O", "B-x", "I-x"), ("s1",))
SPAN = SkillTask("s", "span", (), ("s1",))
RANKING = SkillTask("r", "ranking", (), ("s1",))
MASKED = SkillTask("m", "masked_pieces", (), ("s1",))


def encode(example, task, max_pieces=32):
    encoded = encode_examples([example], task, PIECES, max_pieces)
    return encoded.rows[0], encoded.cut


def test_a_pair():
    (row,), cut = encode(TextExample("a b", "c", "yes"), PAIR)
    assert row.pieces.tolist() == [2, A, B, 3, C, 3]
    assert row.segments.tolist() == [0, 0, 0, 0, 1, 1]
    assert row.targets.tolist() == [1] and not cut
    (row,), cut = encode(TextExample("a b", "", "maybe"), PAIR, 5)
    assert row.pieces.tolist() == [2, A, B, 3, 3]
    assert row.targets.tolist() == [-1] and not cut
    assert encode(TextExample("a b", "c", "yes"), PAIR, 5)[1] == 1


def test_a_ranking():
    (row,), cut = encode(TextExample("a b", "c", "1"), RANKING)
    assert (row.pieces.tolist(), row.second.tolist()) == ([2, A, B, 3], [2, C, 3])
    assert row.targets.tolist() == [1] and not cut
    assert encode(TextExample("a", "c d", "1"), RANKING, 3)[1] == 1


def utterance(*words, slots=()):
    text, tokens = join_words(words)
    return Utterance(text, tokens, slots)


def test_words_are_found_by_their_first_piece():
    item = utterance("a", "bcd", "e", slots=(SlotSpan("x", 2, 7),))
    (row,), cut = encode(item, TAGS)
    assert row.pieces[row.words].tolist() == [A, B, PIECES.vocabulary.index("e")]
    assert row.words.tolist() == [1, 2, 5]
    assert row.targets.tolist() == [0, 1, 2] and not cut
    # Of words that do not fit whole, none is left.
    (row,), cut = encode(item, TAGS, 5)
    assert (row.pieces.tolist(), row.words.tolist()) == ([2, A, 3], [1]) and cut == 1
    (row,), _ = encode(item, TAGS, 6)
    assert row.words.tolist() == [1, 2]
    # But the first word is always there.
    (row,), cut = encode(utterance("abcd", "e"), TAGS, 4)
    assert (len(row.pieces), row.words.tolist(), cut) == (4, [1], 1)


def test_a_text_without_tokens_is_cut_at_its_slots():
    item = Utterance("abcd!", slots=(SlotSpan("x", 1, 3),))
    (row,), _ = encode(tokenised(item, PIECES), TAGS)
    assert row.targets.tolist() == [0, 1, 0, 0]
    (row,), _ = encode(Utterance("\ufe0f"), TAGS)
    assert (row.pieces.tolist(), row.targets.tolist()) == ([2, 1, 3], [0])


def test_an_answer_is_where_its_pieces_are():
    question = Question("a", "b cde f g", (Answer("cde f", 2),))
    (row,), cut = encode(question, SPAN)
    start, end = row.targets
    assert question.passage[row.starts[start] : row.ends[end]] == "cde f"
    assert row.segments[start] == row.segments[end] == 1 and not cut
    # An answer within a piece is that piece.
    inside = Question("a", "b cde", (Answer("d", 3),))
    (row,), _ = encode(inside, SPAN)
    assert row.targets.tolist() == [5, 5]
    (row,), _ = encode(Question("a", "b c"), SPAN)
    assert row.targets.tolist() == [0, 0]


def test_a_window_that_cuts_the_answer_has_none():
    question = Question("a", "b c d e f g h", (Answer("d e f", 4),))
    rows, _ = encode(question, SPAN, 8)  # four pieces of the passage
    found = [
        question.passage[row.starts[row.targets[0]] : row.ends[row.targets[1]]]
        for row in rows
        if row.targets[0]
    ]
    assert len(rows) == 3 and found == ["d e f"]
    assert encode(Question("a " * 9, "b"), SPAN, 8)[1] == 1


def test_the_draw_of_a_window_prefers_those_with_the_answer():
    question = Question("a", "b " * 50 + "c", (Answer("c", 100),))
    encoded = encode_examples([question], SPAN, PIECES, 13)
    answered = [row.targets[0] > 0 for row in encoded.rows[0]]
    assert answered == [False] * (len(answered) - 1) + [True]
    random = np.random.default_rng(0)
    drawn = [encoded.draw(0, random).targets[0] > 0 for _ in range(400)]
    share = 0.5 + 0.5 / len(answered)
    assert np.mean(drawn) == pytest.approx(share, abs=0.08)


def test_a_long_text_is_masked_part_by_part():
    rows, cut = encode("a b c d e f g", MASKED, 5)
    assert [len(row.pieces) for row in rows] == [5, 5, 3] and not cut


def test_masking():
    row = np.array([2, *([A] * 1000), 3], np.int32)
    masked, places = mask_pieces(row, PIECES, np.random.default_rng(0))
    assert len(places) == 150 and (np.diff(places) > 0).all()
    assert 0 < places[0] and places[-1] < 1001
    assert (np.delete(masked, places) == np.delete(row, places)).all()
    shares = [(masked[places] == id_).mean() for id_ in (PIECES.mask_id, A)]
    assert shares == pytest.approx([0.8, 0.1], abs=0.06)
    assert (masked[places] >= PIECES.mask_id).all()  # no other special piece
    assert len(mask_pieces(row[:2], PIECES, None)[1]) == 0


def test_masked_pieces_are_the_targets_at_their_places():
    encoded = encode_examples(["a b c d e f g h"] * 3, MASKED, PIECES, 32)
    whole = encoded.rows[0][0].pieces
    for _, row in encoded.all_rows():
        assert len(row.words) == 1
        assert row.targets.tolist() == whole[row.words].tolist()


def test_evaluation_masks_the_same_each_time():
    encoded = encode_examples(["a b c d e f g h"] * 3, MASKED, PIECES, 32)
    one, other = (
        [row.pieces.tolist() for _, row in encoded.all_rows()] for _ in range(2)
    )
    assert one == other and one[0] != one[1]
    random = np.random.default_rng(0)
    assert (
        encoded.draw(0, random).targets.tolist()
        != encoded.draw(0, random).targets.tolist()
    )


def test_nearly_every_answer_of_cmrc_has_a_window(shared_data):
    questions = read_examples([shared_data("zh/cmrc2018/trial.json.gz")], "span")[::4]
    texts = [question.passage for question in questions]
    pieces = WordPieces(make_piece_vocabulary(texts, 5000))
    encoded = encode_examples(questions, SPAN, pieces, 256)
    recovered = 0
    for question, rows in zip(questions, encoded.rows, strict=True):
        answered = [row for row in rows if row.targets[0]]
        recovered += any(
            question.passage[row.starts[row.targets[0]] : row.ends[row.targets[1]]]
            == question.answers[0].text
            for row in answered
        )
    assert recovered / len(questions) > 0.97
