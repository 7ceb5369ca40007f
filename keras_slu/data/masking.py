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
        `(masked, targets)`: int32 `(time,)` both; of the pieces that are asked
        for, 80 % are `[MASK]`, 10 % another piece and 10 % themselves. Targets
        are -1 where no piece is asked for.

    Reference:
        - [Devlin et al., 2019](https://arxiv.org/abs/1810.04805), A.1
    """
    inner = len(row) - 2
    targets = np.full(len(row), -1, np.int32)
    if inner < 1:
        return row, targets
    places = 1 + random.permutation(inner)[: max(round(RATE * inner), 1)]
    drawn = random.random(len(places))
    others = random.integers(len(SPECIAL), len(pieces), len(places))
    masked = row.copy()
    masked[places] = np.where(drawn < MASKED, pieces.mask_id, others)
    kept = places[drawn >= MASKED + REPLACED]
    masked[kept] = row[kept]
    targets[places] = row[places]
    return masked, targets
