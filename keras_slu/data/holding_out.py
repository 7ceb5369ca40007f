"""Holds a share of examples out, document by document."""

import numpy as np

from keras_slu.data.examples import Question
from keras_slu.errors import InputError


def hold_out(examples, share):
    """Divides examples; those of one document stay together.

    The document of a question is its passage, of a pair its first text, of all
    else the text. What is drawn depends on the number of documents alone.

    Args:
        examples: list of `TextExample`, `Question`, `Utterance` or str.
        share: float. Of the documents that are held out.

    Returns:
        `(kept, held)`: lists, in the order of `examples`.

    Raises:
        InputError: when a side would be empty.

    Example:

    >>> hold_out(["a", "b", "a", "c", "d"], 0.25)
    (['a', 'b', 'a', 'd'], ['c'])
    """
    documents = list(dict.fromkeys(map(_document, examples)))
    count = max(round(share * len(documents)), 1)
    if count >= len(documents):
        raise InputError(
            f"of {len(documents)} documents a share of {share:g} cannot be held out",
            "Give more data, or a `dev` of its own.",
        )
    drawn = np.random.default_rng(0).permutation(len(documents))[:count]
    held_out = {documents[place] for place in drawn}
    kept, held = [], []
    for example in examples:
        (held if _document(example) in held_out else kept).append(example)
    return kept, held


def _document(example):
    if isinstance(example, Question):
        return example.passage
    return example if isinstance(example, str) else example.text
