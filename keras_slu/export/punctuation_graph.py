"""The punctuator as TensorFlow graphs: for a SavedModel, and for a device."""

from typing import NamedTuple

import tensorflow as tf

from keras_slu.data.marked_words import MARKS
from keras_slu.export.litert_graph import text_length
from keras_slu.parsing.marked_word import CLOSING
from keras_slu.parsing.marked_word import SIGNS
from keras_slu.text.in_graph import SEPARATOR
from keras_slu.text.in_graph import InGraphTokenizer
from keras_slu.text.in_graph import places
from keras_slu.text.in_graph import shift
from keras_slu.text.in_graph import token_texts
from keras_slu.text.piece_vocabulary import FIRST_PIECE
from keras_slu.text.table import SINGLE
from keras_slu.text.table import SPACE
from keras_slu.text.vocabulary import PADDING
from keras_slu.text.vocabulary import UNKNOWN


class _Pieces(NamedTuple):
    """What `spoken_words` gives, as tensors `(pieces,)`.

    Args:
        ids: int32.
        starts: int32, where a piece begins.
        ends: int32, where its word ends.
        takes_mark: bool, whether it is the last of a word without a mark.
    """

    ids: tf.Tensor
    starts: tf.Tensor
    ends: tf.Tensor
    takes_mark: tf.Tensor


class PunctuationGraph:
    """A punctuation model with its text side, as functions for exports.

    They do what `Punctuator.punctuate` does with existing marks kept, by the
    same windows.

    Args:
        model: `PunctuationModel` with `tokenizer` and `vocabulary`.
    """

    def __init__(self, model):
        self._model = model
        vocabulary = None if model.reads_pieces else model.vocabulary
        self._tokenizer = InGraphTokenizer(model.tokenizer, vocabulary)
        self._signs = ["", *(MARKS[mark] for mark in model.marks[1:])]

    @tf.function(input_signature=[tf.TensorSpec((None,), tf.string, name="text")])
    def punctuate_texts(self, text):
        """Punctuates texts, UTF-8 `(batch,)`.

        Gives a dict: `text`, strings `(batch,)`; and the marks that were put,
        `(batch, n)`: `marks`, strings, `""` at padding; `offsets`, int32, the
        place in the text given, in code points, that each stands before, -1 at
        padding; `probabilities`, float32, -1 at padding.
        """
        rows = tf.strings.unicode_decode(text, "UTF-8")
        batch = tf.size(text)
        # The separator keeps the last word of a row from running on.
        rows = tf.concat([rows, tf.fill((batch, 1), SEPARATOR)], axis=1)
        codepoints = rows.values
        row = tf.cast(rows.value_rowids(), tf.int32)
        pieces = self._pieces(codepoints)
        marks, probabilities = self._decide(pieces.ids, tf.gather(row, pieces.starts))
        put = places(pieces.takes_mark & (marks > 0))
        marks, ends = tf.gather(marks, put), tf.gather(pieces.ends, put)
        row_of_mark = tf.gather(row, ends - 1)
        begin = tf.gather(tf.cast(rows.row_starts(), tf.int32), row_of_mark)

        def table(values, filling):
            ragged = tf.RaggedTensor.from_value_rowids(values, row_of_mark, batch)
            dense = ragged.to_tensor(filling)
            missing = tf.maximum(1 - tf.shape(dense)[1], 0)  # one column at least
            return tf.pad(dense, [[0, 0], [0, missing]], constant_values=filling)

        return {
            "text": self._written(codepoints, row, batch, ends, marks),
            "marks": table(tf.gather(self._signs, marks), ""),
            "offsets": table(ends - begin, -1),
            "probabilities": table(tf.gather(probabilities, put), -1.0),
        }

    def device_function(self, max_tokens, max_chars):
        """The function of one text, of one window at most, for a device.

        Up to `model.core` pieces it answers as `Punctuator` does, which reads
        longer texts in several windows.

        It takes `codepoints`, see `export_litert`, and gives a dict of
        `(1, max_tokens)`, one value a piece: `marks` int32, places in the
        model's marks, -1 where none can stand; `probabilities` float32 and
        `ends` int32, the place that the mark stands before, -1 likewise; and
        `truncated` int32 `(1,)`.
        """
        # One place more than is read: what stands there tells of a cut.
        signature = [tf.TensorSpec((1, max_chars + 1), tf.int32, name="codepoints")]

        @tf.function(input_signature=signature)
        def punctuate(codepoints):
            return self._device_text(codepoints[0], max_tokens, max_chars)

        return punctuate

    def piece_function(self, max_pieces):
        """The function of the pieces of one window that a client makes.

        It takes `token_ids` int32 `(1, max_pieces)`: the encoder's own ids,
        without what it knows texts to begin and end with, its pad id at padding.
        It gives `marks` int32, places in the model's marks, and `probabilities`
        float32, both `(1, max_pieces)`, -1 at padding. A word's mark is found at
        its last piece; what is there for others means nothing.
        """
        signature = [tf.TensorSpec((1, max_pieces), tf.int32, name="token_ids")]

        @tf.function(input_signature=signature)
        def punctuate(token_ids):
            pieces = self._model.vocabulary.pieces
            length = text_length(token_ids[0], pieces.pad_id)
            given = token_ids[:, :length]
            ids = tf.clip_by_value(given, 0, pieces.size - 1) + FIRST_PIECE
            marks, probabilities = self._answers(ids)
            is_piece = given[0] != pieces.pad_id
            marks = tf.where(is_piece, marks[0], -1)
            probabilities = tf.where(is_piece, probabilities[0], -1.0)
            return {
                "marks": _row(marks, -1, max_pieces),
                "probabilities": _row(probabilities, -1.0, max_pieces),
            }

        return punctuate

    def save(self, folder):
        """Writes a SavedModel to `folder`."""
        weights = tf.Module()  # all that is stored: no optimizer, no layers
        weights.all = [weight.value for weight in self._model.weights]
        signatures = {"serving_default": self.punctuate_texts}
        tf.saved_model.save(weights, str(folder), signatures)

    def _pieces(self, codepoints):
        kinds = self._tokenizer.kinds(codepoints)
        found = self._tokenizer(codepoints)
        kept = places(tf.gather(kinds, found[1]) != SINGLE)
        ids, starts, ends = (tf.gather(values, kept) for values in found)
        if self._model.reads_pieces:
            ids, starts = self._parted(codepoints, starts, ends)

        is_inside = kinds != SPACE
        was_inside = shift(tf.cast(is_inside, tf.int32)) > 0
        number = tf.cumsum(tf.cast(is_inside & ~was_inside, tf.int32)) - 1
        goes_on = tf.pad(is_inside, [[0, 1]])[1:]
        word_ends = places(is_inside & ~goes_on) + 1
        word = tf.gather(number, starts)
        is_last = tf.pad(word, [[0, 1]], constant_values=-1)[1:] != word
        has_own = tf.gather(_has_sign(codepoints, is_inside, word_ends), word)
        return _Pieces(ids, starts, tf.gather(word_ends, word), is_last & ~has_own)

    def _parted(self, codepoints, starts, ends):
        """The pieces of a pretrained encoder, and where the words begin in which
        the tokenizer found them."""
        words = token_texts(codepoints, starts, ends)
        rows = self._model.vocabulary.pieces.in_graph(words)
        return rows.values + FIRST_PIECE, tf.repeat(starts, rows.row_lengths())

    def _decide(self, ids, row):
        """Marks and probabilities of pieces, which rows of texts hold."""
        window, margin = self._model.window, self._model.margin
        core = self._model.core
        counts = tf.math.bincount(row, minlength=1)
        first = tf.cumsum(counts, exclusive=True)
        windows = -(-counts // core)
        first_window = tf.cumsum(windows, exclusive=True)
        text = tf.repeat(tf.range(tf.size(counts)), windows)  # of each window
        start = (tf.range(tf.size(text)) - tf.gather(first_window, text)) * core
        begin = tf.maximum(start - margin, 0)
        stop = tf.minimum(start + core + margin, tf.gather(counts, text))

        place = begin[:, None] + tf.range(window)[None]
        source = tf.where(place < stop[:, None], tf.gather(first, text)[:, None], 0)
        is_piece = place < stop[:, None]
        source = tf.where(is_piece, source + place, tf.size(ids))
        # No text leaves the batch without a row.
        rows = tf.gather(tf.concat([ids, [PADDING]], axis=0), source)
        nothing = tf.one_hot([0], window, on_value=UNKNOWN, dtype=tf.int32)
        marks, probabilities = self._answers(tf.concat([rows, nothing], axis=0))

        in_text = tf.range(tf.size(ids)) - tf.gather(first, row)
        window_of = tf.gather(first_window, row) + in_text // core
        at = tf.stack([window_of, in_text - tf.gather(begin, window_of)], axis=1)
        return tf.gather_nd(marks, at), tf.gather_nd(probabilities, at)

    def _answers(self, token_ids):
        inputs = {"token_ids": token_ids}
        outputs = self._model(inputs, training=False)
        answers = self._model.decode(outputs, self._model.padding_mask(inputs))
        best = tf.reduce_max(tf.cast(answers["probabilities"], tf.float32), axis=-1)
        return answers["marks"], best

    def _written(self, codepoints, row, batch, ends, marks):
        """The texts with their marks, strings `(batch,)`."""
        signs = tf.gather([ord(sign or "\0") for sign in self._signs], marks)
        behind = tf.scatter_nd(ends[:, None] - 1, signs, tf.shape(codepoints))
        pairs = tf.reshape(tf.stack([codepoints, behind], axis=1), [-1])
        is_end = tf.pad(row, [[0, 1]], constant_values=-1)[1:] != row
        is_kept = tf.reshape(tf.stack([~is_end, behind > 0], axis=1), [-1])
        kept = places(is_kept)
        values = tf.gather(pairs, kept)
        rows = tf.RaggedTensor.from_value_rowids(
            values, tf.gather(tf.repeat(row, 2), kept), batch
        )
        return tf.strings.unicode_encode(rows, "UTF-8")

    def _device_text(self, text, max_tokens, max_chars):
        pieces = self._pieces(text[: text_length(text)])
        # What ends with the input may go on behind it.
        whole = tf.reduce_sum(tf.cast(pieces.ends <= max_chars, tf.int32))
        read = tf.minimum(whole, max_tokens)
        # No pieces are one unknown piece, which takes no mark.
        ids = tf.concat([[UNKNOWN], pieces.ids], axis=0)
        is_empty = tf.cast(whole == 0, tf.int32)
        ids = ids[1 - is_empty : read + 1]
        marks, probabilities = self._answers(ids[None])
        takes = tf.concat([pieces.takes_mark[:read], [False]], axis=0)
        takes = takes[: read + is_empty]
        ends = tf.concat([pieces.ends[:read], [-1]], axis=0)[: read + is_empty]
        is_cut = (text[-1] != 0) | (whole > max_tokens)
        return {
            "marks": _row(tf.where(takes, marks[0], -1), -1, max_tokens),
            "probabilities": _row(
                tf.where(takes, probabilities[0], -1.0), -1.0, max_tokens
            ),
            "ends": _row(tf.where(takes, ends, -1), -1, max_tokens),
            "truncated": tf.cast(is_cut, tf.int32)[None],
        }


def _has_sign(codepoints, is_inside, word_ends):
    """Whether a word brings a mark, bool `(words,)`, and one value more."""
    is_solid = is_inside & ~_is_one_of(codepoints, CLOSING)
    solid = tf.pad(places(is_solid), [[0, 1]])
    last = tf.gather(tf.cumsum(tf.cast(is_solid, tf.int32)), word_ends - 1) - 1
    last = tf.gather(solid, tf.maximum(last, 0))
    is_sign = _is_one_of(tf.gather(codepoints, last), SIGNS)
    return tf.pad(is_sign, [[0, 1]])


def _is_one_of(codepoints, characters):
    known = tf.constant([ord(character) for character in characters])
    return tf.reduce_any(codepoints[:, None] == known, axis=1)


def _row(values, filling, size):
    """Values `(n,)` as `(1, size)`."""
    values = tf.concat([values, tf.fill([size], filling)], axis=0)[:size]
    return tf.reshape(values, (1, size))
