"""Beam search over sequences that a step function extends."""

import keras
from keras import ops

NEVER = -1e9


def beam_search(step, cache, batch, length, start, end, beam_size, length_penalty):
    """Finds for each row of a batch the best of the sequences that were kept.

    `beam_size` sequences are kept for each row, those with the highest
    `log p / ((5 + n) / 6)^length_penalty`, `n` being the number of tokens, the
    end's included. A sequence that has ended stays among them as it is. With a
    beam of one this is greedy search.

    Args:
        step: function of the last tokens, int32 `(rows,)`, their place and the
            cache, that gives the log-probabilities of the next tokens, float32
            `(rows, vocabulary)`, and the new cache.
        cache: nested float tensors `(rows, ...)`, `rows` being `batch` times
            `beam_size`: each row's sequences stand side by side.
        batch: int or int tensor.
        length: int or int tensor. Most tokens in a sequence.
        start, end: int. The token before the first, and the last one's.
        beam_size: int.
        length_penalty: float. 0 prefers short sequences, 1 the mean
            log-probability.

    Returns:
        tokens, int32 `(batch, length)`, 0 after the end; and the scores, float32
        `(batch,)`.

    Reference:
        - [Wu et al., 2016](https://arxiv.org/abs/1609.08144), section 7
    """
    shape = (batch, beam_size)
    rows = ops.arange(batch)[:, None] * beam_size  # the first of each sentence

    def body(place, last, tokens, total, count, has_ended, cache):
        log_p, cache = step(ops.reshape(last, (-1,)), place, cache)
        vocabulary = log_p.shape[-1]
        log_p = ops.reshape(log_p, (*shape, vocabulary))
        # What has ended has one way on, padding, which costs nothing.
        is_padding = ops.arange(vocabulary) == 0
        stay = ops.where(is_padding, 0.0, NEVER)
        totals = total[..., None] + ops.where(has_ended[..., None], stay, log_p)
        counts = count + ops.cast(ops.logical_not(has_ended), "int32")
        ranks = totals / _penalty(counts, length_penalty)[..., None]

        flat = (batch, beam_size * vocabulary)
        _, best = ops.top_k(ops.reshape(ranks, flat), beam_size)
        origin, last = best // vocabulary, best % vocabulary  # (batch, beam_size)
        total = ops.take_along_axis(ops.reshape(totals, flat), best, axis=1)

        def follow(values):
            """Rows of `(rows, ...)`, each that of its sequence's beginning."""
            return ops.take(values, ops.reshape(rows + origin, (-1,)), axis=0)

        is_here = ops.arange(length) == place
        tokens = ops.where(is_here, ops.reshape(last, (-1, 1)), follow(tokens))
        count = ops.reshape(follow(ops.reshape(counts, (-1,))), shape)
        has_ended = ops.reshape(follow(ops.reshape(has_ended, (-1,))), shape)
        has_ended = ops.logical_or(has_ended, last == end)
        if beam_size > 1:
            cache = keras.tree.map_structure(follow, cache)
        return place + 1, last, tokens, total, count, has_ended, cache

    def is_going_on(place, last, tokens, total, count, has_ended, cache):
        return ops.logical_and(place < length, ops.logical_not(ops.all(has_ended)))

    # The sequences of a row begin alike: only the first of them counts.
    is_first = ops.arange(beam_size) == 0
    _, _, tokens, total, count, _, _ = ops.while_loop(
        is_going_on,
        body,
        (
            ops.convert_to_tensor(0, "int32"),
            ops.full(shape, start, "int32"),
            ops.zeros((batch * beam_size, length), "int32"),
            ops.broadcast_to(ops.where(is_first, 0.0, NEVER), shape),
            ops.zeros(shape, "int32"),
            ops.zeros(shape, "bool"),
            cache,
        ),
    )
    scores = total / _penalty(count, length_penalty)
    return ops.reshape(tokens, (*shape, length))[:, 0], scores[:, 0]


def _penalty(count, length_penalty):
    return ((5.0 + ops.cast(count, "float32")) / 6.0) ** length_penalty
