"""Word pieces in a graph, against `WordPieces` and `passage_windows`."""

import numpy as np
import pytest
import tensorflow as tf

from keras_slu.text.passage_windows import passage_windows
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces

pytest.importorskip("tensorflow_text", reason="needs keras-slu[text]")

from keras_slu.text.word_pieces_in_graph import InGraphWordPieces  # noqa: E402

VOCABULARY = [*SPECIAL, *"abcdeé好的歌.!?'", "##a", "##b", "##ing", "play", "##e"]
PIECES = WordPieces(VOCABULARY)
TEXTS = [
    "",
    "  ",
    "Play a 好的 b!",
    "playing, d'accord é E\u0301 e\u0301b",
    "ÀB\u00a0好好x😀 ab ba aab " * 3,
    "\u200b.\tab\n歌",
    "a" * 120 + " b",
    "好…b½ a℀b",
]
MAX_PIECES = 16


@pytest.fixture(scope="module")
def in_graph():
    return InGraphWordPieces(PIECES, MAX_PIECES)


def rows_of(dense, lengths):
    return [row[:length].tolist() for row, length in zip(dense, lengths, strict=True)]


def unpadded(rows):
    """Rows of pieces without padding."""
    return rows_of(np.array(rows), (np.array(rows) != 0).sum(axis=1))


def test_the_split(in_graph):
    found = in_graph.split(tf.constant([text.encode() for text in TEXTS]))
    for part, values in zip(("ids", "starts", "ends"), found, strict=True):
        expected = [getattr(PIECES.split(text), part).tolist() for text in TEXTS]
        assert values.to_list() == expected, part


def test_texts_of_nothing(in_graph):
    for texts in ([""], ["", ""], [" "]):
        split = in_graph.split(tf.constant(texts))
        for values in split:
            assert values.to_list() == [[]] * len(texts)
        assert in_graph.pack(split.ids)[0].shape == (len(texts), 2)
        rows = in_graph.words(split)
        assert rows["starts"].numpy().tolist() == [[-1]] * len(texts)
        passages = in_graph.windows(split, split)["pieces"]
        assert passages.shape == (len(texts), 3)


def test_single_texts(in_graph):
    split = in_graph.split(tf.constant(TEXTS))
    pieces, segments, truncated = in_graph.pack(split.ids)
    expected = [PIECES.pack(text, max_pieces=MAX_PIECES).pieces for text in TEXTS]
    assert unpadded(pieces) == [row.tolist() for row in expected]
    assert not np.any(segments)
    wanted = [len(PIECES.split(text).ids) > MAX_PIECES - 2 for text in TEXTS]
    assert truncated.numpy().tolist() == wanted
    assert sum(wanted) == 1


def test_pairs(in_graph):
    firsts = [text for text in TEXTS for _ in TEXTS]
    seconds = TEXTS * len(TEXTS)
    splits = (in_graph.split(tf.constant(texts)).ids for texts in (firsts, seconds))
    pieces, segments, truncated = in_graph.pack(*splits)
    packed = [
        PIECES.pack(*pair, max_pieces=MAX_PIECES)
        for pair in zip(firsts, seconds, strict=True)
    ]
    assert unpadded(pieces) == [row.pieces.tolist() for row in packed]
    lengths = [len(row.pieces) for row in packed]
    expected = [row.segments.tolist() for row in packed]
    assert rows_of(segments.numpy(), lengths) == expected
    # Padding is in no segment of its own.
    assert segments.numpy().sum() == sum(map(sum, expected))
    whole = [
        len(PIECES.split(a).ids) + len(PIECES.split(b).ids) + 3
        for a, b in zip(firsts, seconds, strict=True)
    ]
    assert truncated.numpy().tolist() == [n > MAX_PIECES for n in whole]


def test_words(in_graph):
    from keras_slu.data.skill_rows import encode_examples
    from keras_slu.data.skill_task import SkillTask
    from keras_slu.data.utterance import Utterance

    task = SkillTask("names", "tagging", ("O",), ("s2",))
    found = in_graph.words(in_graph.split(tf.constant(TEXTS)))
    found = {name: value.numpy() for name, value in found.items()}
    for place, text in enumerate(TEXTS):
        [[row]] = encode_examples([Utterance(text)], task, PIECES, MAX_PIECES).rows
        count = len(row.words)
        words = PIECES.tokenize(text)
        pieces, firsts = found["pieces"][place], found["words"][place]
        assert pieces[pieces != 0].tolist() == row.pieces.tolist()
        assert firsts[firsts != 0].tolist() == row.words.tolist()
        for part in ("start", "end"):
            expected = [getattr(word, part) for word in words[:count]]
            values = found[f"{part}s"][place]
            assert values[values >= 0].tolist() == expected
        assert found["truncated"][place] == (len(words) > count)


def test_windows(in_graph):
    questions = ["", "play a", "a b c d e " * 4, "歌?"]
    passages = ["", "好的 ab " * 20, "c d playing", "a b a b a b a b a b a b a"]
    splits = (in_graph.split(tf.constant(texts)) for texts in (questions, passages))
    found = in_graph.windows(*splits)
    found = {name: value.numpy() for name, value in found.items()}
    expected = [
        passage_windows(PIECES, *pair, MAX_PIECES)
        for pair in zip(questions, passages, strict=True)
    ]
    windows = [
        (place, window) for place, (rows, _) in enumerate(expected) for window in rows
    ]
    assert found["example"].tolist() == [place for place, _ in windows]
    assert found["truncated"].tolist() == [is_cut for _, is_cut in expected]
    assert unpadded(found["pieces"]) == [w.pieces.tolist() for _, w in windows]
    lengths = [len(window.pieces) for _, window in windows]
    segments = [window.segments.tolist() for _, window in windows]
    assert rows_of(found["segments"], lengths) == segments
    for part in ("starts", "ends"):
        values = [
            np.where(window.segments == 1, getattr(window, part), -1).tolist()
            for _, window in windows
        ]
        assert rows_of(found[part], lengths) == values


@pytest.mark.parametrize("name", ["zh/chnsenticorp/dev.tsv.gz", "snips/test/seq.in"])
def test_real_texts(shared_data, name):
    from keras_slu.files import read_lines
    from keras_slu.text.piece_counts import make_piece_vocabulary

    texts = [line for _, line in read_lines(shared_data(name))][:300]
    pieces = WordPieces(make_piece_vocabulary(texts, size=3000, min_count=2))
    found = InGraphWordPieces(pieces, 64).split(tf.constant(texts))
    for place, text in enumerate(texts):
        split = pieces.split(text)
        assert found.ids[place].numpy().tolist() == split.ids.tolist()
        assert found.starts[place].numpy().tolist() == split.starts.tolist()
        assert found.ends[place].numpy().tolist() == split.ends.tolist()
