"""From text to its translation."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from keras_slu.data.encoding import pad_rows
from keras_slu.text.sentence_pieces import END
from keras_slu.text.sentence_pieces import START

BATCH_SIZE = 64


class Translation(NamedTuple):
    """A translation.

    Args:
        text: str.
        score: float. Its log-probability, divided by the length penalty of
            `beam_search`.
        truncated: bool. Whether the source was too long and its rest left out.
    """

    text: str
    score: float
    truncated: bool


class Translator:
    """Translates text with a `CapsuleTransformer`.

    Args:
        model: `CapsuleTransformer` with `pieces`.
        beam_size: int. 1 is greedy search. Defaults to `1`.
        length_penalty: float. See `beam_search`. Defaults to `0.6`.

    Example:

    >>> translator = keras_slu.load("runs/translation")  # doctest: +SKIP
    >>> translator.translate("A man sleeps.").text  # doctest: +SKIP
    'Ein Mann schläft.'
    """

    def __init__(self, model, beam_size=1, length_penalty=0.6):
        if model.pieces is None:
            raise ValueError(
                "A translator's model needs pieces. Received: a model without; "
                "set `model.pieces`"
            )
        self.model = model
        ids = tf.TensorSpec((None, None), tf.int32)

        @tf.function(input_signature=[ids])
        def search(token_ids):
            return model.translate(token_ids, beam_size, length_penalty)

        @tf.function(input_signature=[ids, ids, ids])
        def losses(token_ids, target_ids, labels):
            inputs = {"token_ids": token_ids, "target_ids": target_ids}
            logits = model(inputs, training=False)["target"]
            return model.default_loss()["target"].call(labels, logits)

        self._search = search
        self._losses = losses

    def translate(self, texts):
        """Translates one text or many.

        Args:
            texts: str, or list of str.

        Returns:
            A `Translation`, or a list of them.
        """
        if isinstance(texts, str):
            return self.translate([texts])[0]
        model = self.model
        encoded = [
            encode_source(model.pieces, text, model.max_tokens) for text in texts
        ]
        found = self.translate_ids([ids for ids, _ in encoded])
        return [
            Translation(model.pieces.decode(tokens), score, truncated)
            for (tokens, score), (_, truncated) in zip(found, encoded, strict=True)
        ]

    def translate_ids(self, sources):
        """Translates token ids.

        Args:
            sources: list of lists of int, with their end.

        Returns:
            list of `(tokens, score)`; after the end, tokens are 0.
        """

        def run(batch):
            rows = pad_rows([sources[place] for place in batch], 0)
            tokens, scores = self._search(rows)
            return zip(tokens.numpy(), scores.numpy().tolist(), strict=True)

        return _by_length(sources, run)

    def losses(self, sources, targets):
        """The loss of each target, a sum over its tokens, as in training.

        Args:
            sources: list of lists of int, with their end.
            targets: list of lists of int, without start and end.

        Returns:
            float array `(sentences,)`.
        """

        def run(batch):
            pairs = [targets[place] for place in batch]
            return self._losses(
                pad_rows([sources[place] for place in batch], 0),
                pad_rows([[START, *target] for target in pairs], 0),
                pad_rows([[*target, END] for target in pairs], -1),
            ).numpy()

        return np.array(_by_length(sources, run))


def encode_source(pieces, text, max_tokens):
    """The ids of a source text with its end, and whether it was cut."""
    ids = pieces.encode(text)
    return [*ids[: max_tokens - 1], END], len(ids) >= max_tokens


def _by_length(sources, run):
    """Runs batches of similar lengths; gives the results in the sources' order."""
    order = np.argsort([len(source) for source in sources], kind="stable")
    found = [None] * len(sources)
    for start in range(0, len(order), BATCH_SIZE):
        batch = order[start : start + BATCH_SIZE]
        for place, result in zip(batch, run(batch), strict=True):
            found[place] = result
    return found
