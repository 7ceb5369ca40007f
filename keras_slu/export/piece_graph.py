"""The parser of a model on a pretrained encoder as one TensorFlow graph."""

import tensorflow as tf

from keras_slu.export.parser_graph import ParserGraph


class PieceGraph(ParserGraph):
    """A `ParserGraph` that makes pieces of words.

    Its graph holds operations of TensorFlow Text: whoever loads it imports
    `tensorflow_text` first. TensorFlow Serving has them.
    """

    @tf.function(input_signature=[tf.TensorSpec((None,), tf.string, name="text")])
    def parse_texts(self, text):
        """Parses texts; see `ParserGraph.parse_texts`."""
        rows = self._tokenizer.rows(text, self._model.max_tokens)
        is_word = rows.pop("token_ids") != 0  # one, of no characters, in an empty text
        inputs, is_kept = self._packed(rows["tokens"], is_word)
        time = tf.shape(inputs["word_starts"])[1]
        truncated = rows["truncated"] | tf.reduce_any(is_word & ~is_kept, axis=1)
        is_token = (is_kept & (rows["starts"] >= 0))[:, :time]
        shown = {
            name: tf.where(is_token, rows[name][:, :time], filling)
            for name, filling in (("tokens", ""), ("starts", -1), ("ends", -1))
        }
        answers = self._answers(inputs, is_token)
        return {**answers, **shown, "truncated": truncated}

    @tf.function(
        input_signature=[
            tf.TensorSpec((None, None), tf.int32, name="token_ids"),
            tf.TensorSpec((None, None), tf.int32, name="word_starts"),
        ]
    )
    def parse_token_ids(self, token_ids, word_starts):
        """Parses pieces `(batch, pieces)`, the pad id at padding.

        `word_starts` `(batch, words)` has the place of each word's first
        piece, -1 at padding. What leads out of the row is padding.
        """
        pieces = self._model.vocabulary.pieces
        mask = token_ids != pieces.pad_id
        is_word = (word_starts >= 0) & (word_starts < tf.shape(token_ids)[1])
        # A mask is a prefix, and holds one word at least.
        is_word = tf.math.cumprod(tf.cast(is_word, tf.int32), axis=1) > 0
        is_read = is_word | (tf.range(tf.shape(word_starts)[1])[None] == 0)
        inputs = {
            "token_ids": tf.clip_by_value(token_ids, 0, pieces.size - 1),
            "padding_mask": mask,
            "word_starts": tf.where(is_read, tf.where(is_word, word_starts, 0), -1),
        }
        truncated = tf.zeros_like(token_ids[:, 0], tf.bool)
        return {**self._answers(inputs, is_word), "truncated": truncated}

    def _packed(self, words, is_word):
        """The model's inputs, and which words they hold, bool `(batch, time)`."""
        vocabulary = self._model.vocabulary
        pieces, room = vocabulary.pieces, vocabulary.max_pieces - 2
        rows = pieces.in_graph(tf.boolean_mask(words, is_word))[:, :room]
        counts = tf.cast(rows.row_lengths(), tf.int32)
        counts = tf.scatter_nd(
            tf.cast(tf.where(is_word), tf.int32), counts, tf.shape(is_word)
        )
        ends = tf.cumsum(counts, axis=1)
        is_kept = is_word & (ends <= room)
        kept = tf.ragged.boolean_mask(rows, tf.boolean_mask(is_kept, is_word))
        words_kept = tf.reduce_sum(tf.cast(is_kept, tf.int32), axis=1)
        text = tf.RaggedTensor.from_row_lengths(kept, tf.cast(words_kept, tf.int64))
        text = text.merge_dims(1, 2)  # (batch, (pieces))
        batch = tf.shape(words)[0]
        ids = tf.concat(
            [
                tf.fill([batch, 1], pieces.start_id),
                text,
                tf.fill([batch, 1], pieces.end_id),
            ],
            axis=1,
        )
        time = tf.reduce_max(tf.concat([words_kept, [1]], axis=0))
        starts = tf.where(is_kept, 1 + ends - counts, -1)[:, :time]
        mask = tf.sequence_mask(ids.row_lengths())
        inputs = {
            "token_ids": ids.to_tensor(pieces.pad_id),
            "padding_mask": mask,
            "word_starts": starts,
        }
        return inputs, is_kept
