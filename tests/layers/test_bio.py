"""The matrices of BIO against the scheme's definition."""

import random

import numpy as np
import pytest

from keras_slu.data.tags import chunks
from keras_slu.data.tags import tag_names
from keras_slu.layers.bio import bio_constraints
from keras_slu.layers.bio import bio_continues

# Dashes and hashes inside a name, and a name that another one begins with.
NAMES = ["a", "a-b", "c#d", "aa"]


@pytest.mark.parametrize(
    "tags",
    [
        tag_names(NAMES),
        ["I-b", "O", "B-a", "B-b", "I-a"],  # any order
        ["O", "I-a", "B-b"],  # no B-a
        ["O"],
    ],
)
def test_the_definition(tags):
    allowed, starts = bio_constraints(tags)
    goes_on = bio_continues(tags)
    n = len(tags)
    assert allowed.shape == goes_on.shape == (n, n)
    assert starts.shape == (n,)
    assert allowed.dtype == goes_on.dtype == starts.dtype == np.dtype(bool)
    for j, tag in enumerate(tags):
        assert starts[j] == (not tag.startswith("I-"))
        for i, before in enumerate(tags):
            inside = tag.startswith("I-") and before in ("B" + tag[1:], tag)
            assert goes_on[i, j] == inside, (before, tag)
            assert allowed[i, j] == (inside or not tag.startswith("I-")), (before, tag)


def test_an_inside_tag_without_its_beginning_is_never_reached():
    tags = ["O", "I-a", "B-b"]
    allowed, starts = bio_constraints(tags)
    reached = starts.copy()
    for _ in tags:
        reached = reached | allowed[reached].any(axis=0)
    assert reached.tolist() == [True, False, True]


def test_sequences_that_are_allowed_read_the_same_in_both_ways():
    draw = random.Random(1)
    tags = tag_names(NAMES)
    allowed, starts = bio_constraints(tags)
    seen = set()
    for _ in range(3000):
        ids = draw.choices(range(len(tags)), k=draw.randrange(9))
        valid = all(starts[ids[:1]]) and all(
            allowed[i, j] for i, j in zip(ids, ids[1:], strict=False)
        )
        seen.add(valid)
        names = [tags[i] for i in ids]
        assert valid == (chunks(names) == chunks(names, strict=True)), names
    assert seen == {True, False}
