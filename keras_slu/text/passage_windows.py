"""A question beside one window after another of a long passage."""

from keras_slu.text.word_pieces import Split


def passage_windows(pieces, question, passage, max_pieces):
    """Packs a question with each window of a passage.

    Neighbouring windows share half of their passage. A question takes at most
    half of a row: of a longer one, the end is cut.

    Args:
        pieces: `WordPieces`.
        question, passage: str or `Split`.
        max_pieces: int. Of a row.

    Returns:
        `(windows, is_cut)`: list of `Packed`, whose `starts` and `ends` in
        segment 1 are places in the passage; and whether the question was cut.

    Example:

    >>> from keras_slu.text.word_pieces import SPECIAL, WordPieces
    >>> pieces = WordPieces([*SPECIAL, *"abcdef"])
    >>> windows, _ = passage_windows(pieces, "a", "a b c d e f", max_pieces=8)
    >>> [window.pieces[3:].tolist() for window in windows]
    [[5, 6, 7, 8, 3], [7, 8, 9, 10, 3]]
    """
    question, passage = (
        pieces.split(text) if isinstance(text, str) else text
        for text in (question, passage)
    )
    half = max((max_pieces - 3) // 2, 1)
    kept = _part(question, 0, half)
    room = max_pieces - 3 - len(kept.ids)
    step = max(room // 2, 1)
    starts = range(0, max(len(passage.ids) - room, 0) + step, step)
    windows = [
        pieces.pack(kept, _part(passage, start, start + room), max_pieces)
        for start in starts
    ]
    return windows, len(question.ids) > half


def _part(split, start, end):
    return Split(*(column[start:end] for column in split))
