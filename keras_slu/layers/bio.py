"""What the BIO scheme says of two neighbouring tags, as matrices."""

import numpy as np


def _kinds_and_types(tags):
    """Splits each tag into its prefix letter and its slot type."""
    kinds = np.array([tag[:1] for tag in tags])
    types = np.array([tag[2:] for tag in tags])
    return kinds, types


def bio_continues(tags):
    """Says which tag carries on the span of which.

    Args:
        tags: list of `n` str, BIO names such as `"O"`, `"B-city"`, `"I-city"`.

    Returns:
        bool array `(n, n)`: `[i, j]` is true where tag `j`, right after tag
        `i`, is inside the same span: `I-x` after `B-x` or `I-x`.

    Example:

    >>> bio_continues(["O", "B-a", "I-a"]).astype(int)
    array([[0, 0, 0],
           [0, 0, 1],
           [0, 0, 1]])
    """
    kinds, types = _kinds_and_types(tags)
    same_type = types[:, None] == types[None, :]
    return (kinds != "O")[:, None] & (kinds == "I")[None, :] & same_type


def bio_constraints(tags):
    """Says which tags may follow which, and which may come first, under BIO.

    A type that has an `I-` tag but no `B-` tag can never be entered.

    Args:
        tags: list of `n` str, BIO names.

    Returns:
        `(transitions, starts)`: bool arrays `(n, n)` and `(n,)`, true where
        tag `j` may follow tag `i`, and where tag `j` may come first.

    Example:

    >>> transitions, starts = bio_constraints(["O", "B-a", "I-a"])
    >>> transitions.astype(int)
    array([[1, 1, 0],
           [1, 1, 1],
           [1, 1, 1]])
    >>> starts
    array([ True,  True, False])
    """
    kinds, _ = _kinds_and_types(tags)
    starts = kinds != "I"
    return starts[None, :] | bio_continues(tags), starts
