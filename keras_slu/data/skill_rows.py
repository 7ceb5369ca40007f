"""Encodes the examples of a SkillNet's task into rows of pieces and targets."""

from dataclasses import dataclass
from typing import Any
from typing import NamedTuple

import numpy as np

from keras_slu.data.alignment import bio_tags
from keras_slu.data.encoding import UNSEEN
from keras_slu.data.encoding import tokens_of
from keras_slu.data.masking import mask_pieces
from keras_slu.text.passage_windows import passage_windows
from keras_slu.text.word_pieces import WordPieces

NONE = np.zeros(0, np.int32)


class Row(NamedTuple):
    """What a model reads of an example, and what it should say.

    Args:
        pieces, segments: int32 `(time,)`.
        targets: int32 `(k,)`.
        words: int32 `(words,)`, places in the row: of tagging those of the words'
            first pieces, of masked pieces those that are asked for.
        second: int32 `(time2,)`, of ranking.
        starts, ends: int32 `(time,)`, of spans the places in the passage.
    """

    pieces: np.ndarray
    segments: np.ndarray
    targets: np.ndarray
    words: np.ndarray = NONE
    second: np.ndarray = NONE
    starts: np.ndarray = NONE
    ends: np.ndarray = NONE


@dataclass
class SkillExamples:
    """The examples of a task, encoded.

    Args:
        task: `SkillTask`.
        examples: list, what was encoded.
        rows: list of tuples of `Row`, one tuple for each example: the windows
            of a passage, the parts of a text that is only masked, else one.
        cut: int. How many examples do not fit into their row: pairs and texts
            that lose their end, questions longer than half of it. Passages have
            windows and are never cut.
        pieces: `WordPieces`.
        max_pieces: int.
    """

    task: Any
    examples: list
    rows: list[tuple[Row, ...]]
    cut: int
    pieces: WordPieces
    max_pieces: int

    def __len__(self):
        return len(self.rows)

    def draw(self, place, random):
        """A row of an example for one epoch.

        Of a passage it is, in half of all cases, a window with the answer; of
        the others any. Pieces are masked anew.
        """
        rows = self.rows[place]
        if self.task.kind == "span":
            answered = [row for row in rows if row.targets[0]]
            if answered and random.random() < 0.5:
                rows = answered
        row = rows[random.integers(len(rows))] if len(rows) > 1 else rows[0]
        return self._masked(row, random)

    def all_rows(self):
        """`(place, row)` of every row; what is masked is always the same."""
        random = np.random.default_rng(0)
        return [
            (place, self._masked(row, random))
            for place, rows in enumerate(self.rows)
            for row in rows
        ]

    def _masked(self, row, random):
        if self.task.kind != "masked_pieces":
            return row
        masked, places = mask_pieces(row.pieces, self.pieces, random)
        return row._replace(pieces=masked, words=places, targets=row.pieces[places])


def encode_examples(examples, task, pieces, max_pieces):
    """Encodes the examples of a task.

    Args:
        examples: list, as `read_examples` gives it for the task's kind.
        task: `SkillTask`. A label that it lacks becomes -1.
        pieces: `WordPieces`.
        max_pieces: int. Of a row.

    Returns:
        `SkillExamples`.

    Raises:
        InputError: for a slot that does not sit on tokens.
    """
    encode = {
        "tagging": _encode_tagging,
        "span": _encode_question,
        "ranking": _encode_ranking,
        "masked_pieces": _encode_text,
    }.get(task.kind, _encode_label)
    found = [encode(example, task, pieces, max_pieces) for example in examples]
    rows = [of_example for of_example, _ in found]
    cut = sum(is_cut for _, is_cut in found)
    return SkillExamples(task, examples, rows, cut, pieces, max_pieces)


def _label(labels, name):
    place = labels.index(name) if name in labels else UNSEEN
    return np.array([place], np.int32)


def _encode_label(example, task, pieces, max_pieces):
    splits = [pieces.split(example.text)]
    if example.second is not None:
        splits.append(pieces.split(example.second))
    packed = pieces.pack(*splits, max_pieces=max_pieces)
    whole = sum(len(split.ids) for split in splits) + 1 + len(splits)
    row = Row(packed.pieces, packed.segments, _label(task.labels, example.label))
    return (row,), whole > max_pieces


def _encode_ranking(example, task, pieces, max_pieces):
    splits = pieces.split(example.text), pieces.split(example.second)
    first, second = (pieces.pack(split, max_pieces=max_pieces) for split in splits)
    target = _label(("0", "1"), example.label)
    row = Row(first.pieces, first.segments, target, second=second.pieces)
    return (row,), any(len(split.ids) > max_pieces - 2 for split in splits)


def _encode_tagging(utterance, task, pieces, max_pieces):
    tokens = tokens_of(utterance, pieces)
    words = pieces.ids([token.text for token in tokens] or [""])
    ends = 1 + np.cumsum([len(word) for word in words])
    fitting = max(int((ends < max_pieces).sum()), 1)  # room for [SEP]
    kept = np.concatenate(words[:fitting])[: max_pieces - 2]
    row = np.array([pieces.start_id, *kept, pieces.end_id], np.int32)
    tags = bio_tags(utterance, tokens) or ["O"]
    places = {tag: place for place, tag in enumerate(task.labels)}
    targets = [places.get(tag, UNSEEN) for tag in tags[:fitting]]
    firsts = np.array([1, *ends[: fitting - 1]], np.int32)
    row = Row(row, np.zeros_like(row), np.array(targets, np.int32), words=firsts)
    return (row,), fitting < len(words)


def _encode_question(question, task, pieces, max_pieces):
    windows, is_cut = passage_windows(
        pieces, question.text, question.passage, max_pieces
    )
    rows = tuple(
        Row(
            window.pieces,
            window.segments,
            _answer_places(window, question.answers),
            starts=window.starts,
            ends=window.ends,
        )
        for window in windows
    )
    return rows, is_cut


def _answer_places(window, answers):
    """Where the first answer is in a window; (0, 0) where it is not wholly."""
    targets = np.zeros(2, np.int32)
    if answers:
        first, end = answers[0].start, answers[0].start + len(answers[0].text)
        in_passage = (window.segments == 1) & (window.starts >= 0)
        starts = np.flatnonzero(in_passage & (window.starts <= first))
        ends = np.flatnonzero(in_passage & (window.ends >= end))
        # The last piece that begins at the answer or before it must reach into
        # it, and the first that ends with it must be there.
        if len(starts) and len(ends) and window.ends[starts[-1]] > first:
            targets[:] = starts[-1], ends[0]
    return targets


def _encode_text(text, task, pieces, max_pieces):
    ids = pieces.split(text).ids
    room = max_pieces - 2
    rows = []
    for start in range(0, max(len(ids), 1), room):
        part = [pieces.start_id, *ids[start : start + room], pieces.end_id]
        row = np.array(part, np.int32)
        rows.append(Row(row, np.zeros_like(row), np.full(len(row), -1, np.int32)))
    return tuple(rows), False
