"""Embeds what was found in earlier turns, row by row."""

import keras
from keras import ops

from keras_slu.layers.sentence_embedder import SENTENCE

MAX_SET = 31  # intents whose set fits into an int32


@keras.saving.register_keras_serializable(package="keras_slu")
class ResultEmbedding(keras.layers.Layer):
    """Turns the results of a dialogue's history into features.

    A history is one row of ids after the other: for each turn its sentence's,
    then its words'. The result of a sentence is its intent, that of a word its
    slot tag; -1 where nothing was found. With `intent_sets` an utterance has
    any number of intents, and the result of a sentence is the sum of `2^i`
    over its intents `i`, embedded as the sum of their vectors.

    Args:
        num_intents: int. At most 31 with `intent_sets`.
        num_tags: int.
        dim: int. Width of the output.
        intent_sets: bool. Defaults to `False`.
        **kwargs: passed to `keras.layers.Layer`.

    Call arguments:
        ids: int tensor `(batch, history)`, -1 (`SENTENCE`) where a row stands
            for a sentence, else token ids, 0 at padding.
        results: int tensor `(batch, history)`.

    Returns:
        float tensor `(batch, history, dim)`. Padding holds anything finite.

    Example:

    >>> import numpy as np
    >>> ids, results = np.array([[-1, 7, 9]]), np.array([[1, 0, 4]])
    >>> ResultEmbedding(num_intents=2, num_tags=5, dim=8)(ids, results).shape
    TensorShape([1, 3, 8])

    Reference:
        - [Cheng et al., 2022](https://arxiv.org/abs/2206.12209), section 3.2
    """

    def __init__(self, num_intents, num_tags, dim, intent_sets=False, **kwargs):
        super().__init__(**kwargs)
        if intent_sets and num_intents > MAX_SET:
            raise ValueError(
                f"Sets are of at most {MAX_SET} intents. Received: {num_intents}"
            )
        self.num_intents = num_intents
        self.num_tags = num_tags
        self.dim = dim
        self.intent_sets = intent_sets

    def build(self, ids_shape, results_shape=None):
        def weight(name, rows):
            return self.add_weight(
                shape=(rows, self.dim), initializer="uniform", name=name
            )

        self.intents = weight("intents", self.num_intents)
        # The last row is that of no result.
        self.tags = weight("tags", self.num_tags + 1)

    def call(self, ids, results):
        nothing = ops.cast(results < 0, results.dtype)
        tags = ops.minimum(results, self.num_tags) * (1 - nothing)
        tags = tags + self.num_tags * nothing
        is_sentence = ops.logical_and(ops.equal(ids, SENTENCE), results >= 0)
        of_words = ops.take(self.tags, tags, axis=0)
        return ops.where(is_sentence[..., None], self._intents(results), of_words)

    def _intents(self, results):
        results = ops.maximum(results, 0)
        if not self.intent_sets:
            results = ops.minimum(results, self.num_intents - 1)
            return ops.take(self.intents, results, axis=0)
        powers = ops.cast([2**place for place in range(self.num_intents)], "int32")
        is_in = ops.mod(ops.floor_divide(results[..., None], powers), 2)
        return ops.matmul(ops.cast(is_in, self.compute_dtype), self.intents)

    def compute_output_spec(self, ids, results):
        return keras.KerasTensor((*ids.shape, self.dim), self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config.update(
            {
                "num_intents": self.num_intents,
                "num_tags": self.num_tags,
                "dim": self.dim,
                "intent_sets": self.intent_sets,
            }
        )
        return config
