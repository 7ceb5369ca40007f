"""BERT's word pieces inside a TensorFlow graph."""

from typing import NamedTuple

import tensorflow as tf

CONTINUES = "##"  # what the pieces of a word after its first begin with


class RaggedPieces(NamedTuple):
    """The pieces of texts.

    Args:
        ids, starts, ends: int32 `(batch, (pieces))`, ragged; places are in code
            points of the text.
    """

    ids: tf.RaggedTensor
    starts: tf.RaggedTensor
    ends: tf.RaggedTensor


class InGraphWordPieces:
    """Does in a graph what `WordPieces` does.

    The operations are TensorFlow Text's: whoever loads the graph imports
    `tensorflow_text` first.

    Args:
        pieces: `WordPieces`.
        max_pieces: int. Of a row.
    """

    def __init__(self, pieces, max_pieces):
        from keras_slu.export.tensorflow_text import import_tensorflow_text

        text = import_tensorflow_text()
        self._tokenizer = text.FastBertTokenizer(
            pieces.vocabulary,
            token_out_type=tf.int32,
            lower_case_nfd_strip_accents=pieces.lowercase,
        )
        self._continues = [piece.startswith(CONTINUES) for piece in pieces.vocabulary]
        self._pieces = pieces
        self._max_pieces = max_pieces

    def split(self, text):
        """The pieces of texts, strings `(batch,)`, `RaggedPieces`."""
        ids, starts, ends = self._tokenizer.tokenize_with_offsets(text)
        starts, ends = _in_code_points(text, starts), _in_code_points(text, ends)
        # TensorFlow Text lets a part of a character that folds to several, as an
        # ellipsis does, end where it begins.
        return RaggedPieces(ids, starts, tf.maximum(ends, starts + 1))

    def pack(self, first, second=None):
        """Packs one or two texts into rows; see `WordPieces.pack`.

        Args:
            first, second: ragged int32 `(batch, (pieces))`.

        Returns:
            `(pieces, segments, truncated)`: int32 `(batch, time)`, padded, and
            bool `(batch,)`.
        """
        lengths = first.row_lengths()
        if second is None:
            kept = first[:, : self._max_pieces - 2]
            rows = self._joined([kept])
            segments = tf.zeros_like(rows.to_tensor())
            return rows.to_tensor(), segments, lengths > self._max_pieces - 2
        room, others = self._max_pieces - 3, second.row_lengths()
        own = tf.minimum(lengths, tf.maximum(room - others, room - room // 2))
        first, second = cut(first, own), cut(second, room - own)
        rows = self._joined([first, second])
        place = tf.range(tf.shape(rows.to_tensor())[1])[None]
        ends_first = tf.cast(own, tf.int32)[:, None] + 2
        in_row = place < tf.cast(rows.row_lengths(), tf.int32)[:, None]
        segments = tf.cast(in_row & (place >= ends_first), tf.int32)
        return rows.to_tensor(), segments, lengths + others > room

    def words(self, split):
        """Rows of words, as tagging reads them.

        Returns:
            dict: `pieces` int32 `(batch, time)`; `words`, int32
            `(batch, words)`, the place of each word's first piece, 0 at padding;
            `starts` and `ends`, int32 `(batch, words)`, -1 at padding;
            `truncated` `(batch,)`. A text without words is a row of one
            unknown word, which stands nowhere.
        """
        ids = split.ids.to_tensor()
        time = tf.shape(ids)[1]
        is_piece = tf.sequence_mask(split.ids.row_lengths(), time)
        # A word that shares a character with the one before is a part of it.
        before = tf.pad(split.ends.to_tensor(), [[0, 0], [1, 0]])[:, :-1]
        is_first = is_piece & (split.starts.to_tensor() >= before)
        is_first &= ~tf.gather(tf.constant(self._continues), ids)
        # A word ends where another begins, or nothing follows.
        goes_on = tf.pad(is_piece & ~is_first, [[0, 0], [0, 1]])[:, 1:]
        is_last = is_piece & ~goes_on
        fits = is_last & (tf.range(time)[None] < self._max_pieces - 2)
        count = tf.reduce_sum(tf.cast(is_first, tf.int32), axis=1)
        kept = tf.maximum(tf.reduce_sum(tf.cast(fits, tf.int32), axis=1), 1)
        number = tf.cumsum(tf.cast(is_first, tf.int32), axis=1)  # from 1
        in_row = is_piece & (number <= kept[:, None])
        rows = tf.ragged.boolean_mask(ids, in_row)[:, : self._max_pieces - 2]
        nothing = tf.fill(
            [tf.size(count), 1], self._pieces.unknown_id
        )  # one word, where there is none
        rows = tf.concat(
            [rows, cut(tf.RaggedTensor.from_tensor(nothing), count == 0)], 1
        )
        firsts = tf.where(is_first & in_row)
        firsts = tf.RaggedTensor.from_value_rowids(
            tf.cast(firsts[:, 1], tf.int32) + 1, firsts[:, 0], tf.size(count, tf.int64)
        )
        ones = tf.fill([tf.size(count), 1], 1)
        words = tf.concat(
            [firsts, cut(tf.RaggedTensor.from_tensor(ones), count == 0)], 1
        )
        words = words.to_tensor()
        return {
            "pieces": self._joined([rows]).to_tensor(),
            "words": words,
            "starts": _at(split.starts, is_first & in_row, words),
            "ends": _at(split.ends, is_last & in_row, words),
            "truncated": count > kept,
        }

    def windows(self, question, passage):
        """Rows of a question and one window of its passage each.

        Args:
            question, passage: `RaggedPieces` of `batch` texts.

        Returns:
            dict: `pieces` and `segments`, int32 `(windows, time)`; `starts` and
            `ends`, int32 `(windows, time)`, places in the passage, -1 where
            there is none; `example`, int64 `(windows,)`, the row of the batch;
            `truncated`, bool `(batch,)`. See `passage_windows`.
        """
        half = max((self._max_pieces - 3) // 2, 1)
        kept = question.ids[:, :half]
        room = self._max_pieces - 3 - kept.row_lengths()
        step = tf.maximum(room // 2, 1)
        lengths = passage.ids.row_lengths()
        beyond = tf.maximum(lengths - room, 0)
        counts = (beyond + step - 1) // step + 1
        example = tf.repeat(tf.range(tf.size(counts, tf.int64)), counts)
        number = tf.ragged.range(counts).flat_values
        start = number * tf.gather(step, example)
        room, lengths = tf.gather(room, example), tf.gather(lengths, example)
        size = tf.minimum(room, lengths - start)
        parts = RaggedPieces(
            *(_slices(values, example, start, size) for values in passage)
        )
        asked = tf.gather(kept, example)
        rows = self._joined([asked, parts.ids])
        before = tf.cast(asked.row_lengths(), tf.int32)[:, None] + 2
        place = tf.range(tf.shape(rows.to_tensor())[1])[None]
        in_row = place < tf.cast(rows.row_lengths(), tf.int32)[:, None]
        is_passage = in_row & (place >= before)
        return {
            "pieces": rows.to_tensor(),
            "segments": tf.cast(is_passage, tf.int32),
            "starts": _shifted(parts.starts, before, place),
            "ends": _shifted(parts.ends, before, place),
            "example": example,
            "truncated": question.ids.row_lengths() > half,
        }

    def _joined(self, parts):
        """`[CLS] a [SEP]` or `[CLS] a [SEP] b [SEP]`, ragged."""
        column = [tf.cast(parts[0].nrows(), tf.int32), 1]
        end = tf.fill(column, self._pieces.end_id)
        columns = [tf.fill(column, self._pieces.start_id)]
        for part in parts:
            columns += [part, end]
        return tf.concat(columns, axis=1)


def cut(rows, lengths):
    """The first `lengths` values of each row, a number or bool `(batch,)`."""
    lengths = tf.minimum(rows.row_lengths(), tf.cast(lengths, tf.int64))
    kept = tf.sequence_mask(lengths, rows.bounding_shape(axis=1))
    return tf.ragged.boolean_mask(rows.to_tensor(), kept)


def _slices(values, rows, starts, sizes):
    """`values[rows[i], starts[i] : starts[i] + sizes[i]]`, ragged."""
    within = tf.ragged.range(sizes)
    first = tf.gather(values.row_starts(), rows) + starts
    flat = within.flat_values + tf.repeat(first, sizes)
    return tf.RaggedTensor.from_row_lengths(tf.gather(values.flat_values, flat), sizes)


def _shifted(values, before, place):
    """Ragged values of windows as they stand in their rows, -1 elsewhere."""
    within = place - before
    is_in = (within >= 0) & (within < tf.cast(values.row_lengths(), tf.int32)[:, None])
    dense = tf.pad(values.to_tensor(), [[0, 0], [0, 1]])  # no row is of nothing
    last = tf.shape(dense)[1] - 1
    found = tf.gather(dense, tf.clip_by_value(within, 0, last), batch_dims=1)
    return tf.where(is_in, found, -1)


def _at(values, is_chosen, words):
    """The values of chosen pieces, as wide as `words`, -1 at padding."""
    chosen = tf.ragged.boolean_mask(values.to_tensor(), is_chosen).to_tensor(-1)
    missing = tf.shape(words)[1] - tf.shape(chosen)[1]
    return tf.pad(chosen, [[0, 0], [0, missing]], constant_values=-1)


def _in_code_points(text, places):
    """Ragged places in bytes of texts as int32 places in code points."""
    split = tf.strings.bytes_split(text)
    # Of no bytes at all it would not know that each is one, but for the length.
    content = tf.io.decode_raw(split.flat_values, tf.uint8, fixed_length=1)[:, 0]
    begins = tf.cast(tf.bitwise.bitwise_and(content, 0xC0) != 0x80, tf.int32)
    before = tf.pad(tf.cumsum(begins), [[1, 0]])  # of each byte, in all texts
    first = tf.gather(split.row_starts(), places.value_rowids())
    found = tf.gather(before, first + tf.cast(places.flat_values, tf.int64))
    return places.with_flat_values(found - tf.gather(before, first))
