"""Windows cover a passage, whatever the lengths."""

import pytest

from keras_slu.text.passage_windows import passage_windows
from keras_slu.text.word_pieces import SPECIAL
from keras_slu.text.word_pieces import WordPieces

PIECES = WordPieces([*SPECIAL, "q", "p"])


@pytest.mark.parametrize("question", [0, 1, 9, 30])
@pytest.mark.parametrize("passage", [0, 1, 16, 17, 18, 100])
def test_every_piece_is_in_a_window_and_neighbours_share_half(question, passage):
    windows, is_cut = passage_windows(
        PIECES, "q " * question, "p " * passage, max_pieces=20
    )
    assert is_cut == (question > 8)
    seen = []
    for window in windows:
        assert len(window.pieces) <= 20
        assert (window.pieces == 5).sum() == min(question, 8)
        in_passage = window.pieces == 6
        assert (window.segments[in_passage] == 1).all()
        places = (window.starts[in_passage] // 2).tolist()
        assert places == list(range(*places[:1], places[-1] + 1)) if places else True
        seen.append(places)
    assert sorted(set(sum(seen, []))) == list(range(passage))
    room = 17 - min(question, 8)
    for one, other in zip(seen, seen[1:], strict=False):
        assert other[0] - one[0] == room // 2
        assert other[-1] > one[-1]  # no window for nothing
