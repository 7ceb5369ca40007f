"""Words as the pieces of a pretrained encoder's vocabulary."""

import json
from pathlib import Path

import keras
import numpy as np

from keras_slu.files import write_text
from keras_slu.text.encoder_pieces import CONFIG


class Pieces:
    """Splits words into pieces, each word for itself.

    So a piece belongs to one word, whatever stands beside it, and offsets stay
    those of words. A word of which the tokenizer makes nothing is one unknown
    piece.

    Args:
        tokenizer: `keras_hub.tokenizers.Tokenizer`.

    Attributes:
        size: int. How many pieces there are.
        start_id, end_id, pad_id: int. What stands before and after a text and
            at padding.
    """

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.start_id, self.end_id = tokenizer.start_token_id, tokenizer.end_token_id
        self.pad_id = tokenizer.pad_token_id
        self.unknown_id = _unknown_id(tokenizer)
        self.size = tokenizer.vocabulary_size()
        # Byte pairs have the space before a word as a part of it.
        self._space = " " if "BytePair" in _bases(tokenizer) else ""
        self._known = {}

    def ids(self, words):
        """The pieces of words.

        Args:
            words: list of str.

        Returns:
            list of int32 arrays, none empty.
        """
        new = sorted(set(words) - self._known.keys())
        if new:
            self._known.update(zip(new, self._tokenize(new), strict=True))
        return [self._known[word] for word in words]

    def _tokenize(self, words):
        texts = [self._space + w.encode("utf-8", "replace").decode() for w in words]
        rows = self.tokenizer(texts)
        return [np.array(row or [self.unknown_id], np.int32) for row in _lists(rows)]

    def in_graph(self, words):
        """The pieces of words inside a TensorFlow graph.

        Args:
            words: string tensor `(words,)`, UTF-8.

        Returns:
            int32 `tf.RaggedTensor` `(words, (pieces))`, no row empty.
        """
        import tensorflow as tf

        rows = self.tokenizer(tf.strings.join([self._space, words]))
        rows = tf.cast(rows, tf.int32)
        is_empty = tf.cast(rows.row_lengths() == 0, tf.int64)
        filler = tf.RaggedTensor.from_row_lengths(
            tf.fill([tf.reduce_sum(is_empty)], self.unknown_id), is_empty
        )
        return tf.concat([rows, filler], axis=1)

    def save(self, folder):
        """Writes the tokenizer into `folder`, which is made."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.tokenizer.save_assets(str(folder))
        config = keras.saving.serialize_keras_object(self.tokenizer)
        for name in ("vocabulary", "merges", "proto"):
            if name in config["config"]:
                config["config"][name] = None  # in files of their own
        write_text(folder / CONFIG, json.dumps(config))

    @classmethod
    def load(cls, folder):
        """Reads what `save` wrote.

        Raises:
            InputError: when keras-hub is not there.
        """
        from keras_slu.encoders.hub import import_hub

        import_hub()
        folder = Path(folder)
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
        tokenizer = keras.saving.deserialize_keras_object(config)
        tokenizer.load_assets(str(folder))
        return cls(tokenizer)


def _bases(tokenizer):
    return " ".join(base.__name__ for base in type(tokenizer).__mro__)


def _unknown_id(tokenizer):
    """The id of the unknown piece; vocabularies of bytes have none and need none."""
    unknown = getattr(tokenizer, "oov_token", None) or getattr(
        tokenizer, "unk_token", None
    )
    if unknown is None:
        return int(tokenizer.pad_token_id)
    return int(tokenizer.token_to_id(unknown))


def _lists(rows):
    """A ragged tensor, or the lists that keras-hub may give, as lists."""
    return rows.to_list() if hasattr(rows, "to_list") else rows
