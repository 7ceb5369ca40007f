"""Masks pieces, as BERT's pre-training does."""

import numpy as np

from keras_slu.text.word_pieces import SPECIAL

RATE = 0.15  # of the pieces that are asked for
MASKED, REPLACED = 0.8, 0.1  # of these; the rest stay as they are


def mask_pieces(row, pieces, random):
    """Masks a share of the pieces of a row, one at least.

    Args:
        row: int32 `(time,)`, of `[CLS]`, pieces and `[SEP]`.
        pieces: `WordPieces`.
        random: `numpy.random.Generator`.

    Returns:
        `(masked, places)`: int32 `(time,)`, and int32 `(asked,)`, the places of
        the pieces that are asked for, in order. Of these pieces 80 % are
        `[MASK]`, 10 % another piece and 10 % themselves.

    Reference:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), A.1
    """
    inner = len(row) - 2
    if inner < 1:
        return row, np.zeros(0, np.int32)
    asked = max(round(RATE * inner), 1)
    places = 1 + np.sort(random.permutation(inner)[:asked]).astype(np.int32)
    drawn = random.random(asked)
    others = random.integers(len(SPECIAL), len(pieces), asked)
    masked = row.copy()
    masked[places] = np.where(drawn < MASKED, pieces.mask_id, others)
    kept = places[drawn >= MASKED + REPLACED]
    masked[kept] = row[kept]
    return masked, places
