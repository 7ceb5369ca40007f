"""Words seen once that training takes for unknown, so that unknown ones are known."""

import numpy as np

from keras_slu.text.vocabulary import UNKNOWN


class WordDropout:
    """Replaces ids that training has once, each time anew.

    Args:
        rate: float. How often; with 0 nothing is drawn.
        counts: int array `(vocabulary,)`, how often each id occurs in
            training. Needed with a rate.
        unknown_ids: int array `(vocabulary,)`, what each id becomes, or
            `None` for the unknown word's.
    """

    def __init__(self, rate, counts, unknown_ids=None):
        self.rate = rate
        self._is_rare = np.asarray(counts) == 1 if rate else None
        self._unknown_ids = unknown_ids

    def __call__(self, ids, random):
        """Ids of the same shape, some replaced as `random` has it."""
        if not self.rate:
            return ids
        drawn = random.random(ids.shape) < self.rate
        unknown = UNKNOWN if self._unknown_ids is None else self._unknown_ids[ids]
        return np.where(self._is_rare[ids] & drawn, unknown, ids)
