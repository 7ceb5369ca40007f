"""A SavedModel with the signatures of an export, of a model that takes no training.

The last word of a text is its song; a text with the word `xyzzy` is unknown;
16 words are read.
"""

import tensorflow as tf

MAX_WORDS = 16


class Toy(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="text")])
    def of_text(self, text):
        words = tf.strings.split(text, " ")
        read = words[:, :MAX_WORDS]
        lengths = tf.strings.length(read, unit="UTF8_CHAR").to_tensor(-1)
        real = lengths >= 0
        starts = tf.cumsum(tf.where(real, lengths + 1, 0), axis=1, exclusive=True)
        starts = tf.where(real, starts, -1)
        ends = tf.where(real, starts + lengths, -1)
        last = tf.cast(read.row_lengths(), tf.int32)[:, None] - 1
        song = tf.range(tf.shape(real)[1])[None] == last
        return {
            "tokens": read.to_tensor(""),
            "starts": starts,
            "ends": ends,
            "tags": tf.where(song, "B-song", tf.where(real, "O", "")),
            "slot_confidence": tf.where(song, 0.9, tf.where(real, 1.0, -1.0)),
            "truncated": words.row_lengths() > MAX_WORDS,
            **_intents(tf.reduce_any(words == "xyzzy", axis=1)),
        }

    @tf.function(
        input_signature=[tf.TensorSpec([None, None], tf.int32, name="token_ids")]
    )
    def of_ids(self, token_ids):
        tf.debugging.assert_less(token_ids, 100_000, "no such word")
        return {
            "tags": tf.where(token_ids > 0, "O", ""),
            "slot_confidence": tf.where(token_ids > 0, 1.0, -1.0),
            "truncated": tf.zeros_like(token_ids[:, 0], tf.bool),
            **_intents(tf.reduce_any(token_ids == 1, axis=1)),
        }


def _intents(is_unknown):
    rows = tf.shape(is_unknown)[0]
    return {
        "intents": tf.tile([["play", "stop"]], [rows, 1]),
        "intent_probabilities": tf.tile([[0.7, 0.3]], [rows, 1]),
        "intent_active": tf.tile([[True, False]], [rows, 1]),
        "is_unknown": is_unknown,
    }


def write_toy(folder):
    """Writes the model to `folder`, a version."""
    toy = Toy()
    signatures = {"serving_default": toy.of_text, "token_ids": toy.of_ids}
    tf.saved_model.save(toy, str(folder), signatures=signatures)
