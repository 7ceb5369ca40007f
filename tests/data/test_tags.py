import random

import pytest
from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import IOB2
from seqeval.scheme import Tokens

from keras_slu.data.tags import chunks
from keras_slu.data.tags import split_tag
from keras_slu.data.tags import tag_names

# Dashes and hashes inside a name, and a name that another one begins with.
NAMES = ["a", "a-b", "c#d", "aa"]


def random_sequences(count, seed=0):
    draw = random.Random(seed)
    tags = tag_names(NAMES)
    return [draw.choices(tags, k=draw.randrange(9)) for _ in range(count)]


# Worked out by hand: tags, conlleval chunks, strict IOB2 chunks.
BY_HAND = [
    ("", [], []),
    ("O O", [], []),
    ("B-a", [("a", 0, 1)], [("a", 0, 1)]),
    ("B-a I-a O", [("a", 0, 2)], [("a", 0, 2)]),
    ("O O B-a I-a", [("a", 2, 4)], [("a", 2, 4)]),
    ("B-a B-a", [("a", 0, 1), ("a", 1, 2)], [("a", 0, 1), ("a", 1, 2)]),
    ("B-a I-a B-a", [("a", 0, 2), ("a", 2, 3)], [("a", 0, 2), ("a", 2, 3)]),
    ("B-a B-b I-b", [("a", 0, 1), ("b", 1, 3)], [("a", 0, 1), ("b", 1, 3)]),
    ("I-a I-a O", [("a", 0, 2)], []),
    ("O I-a", [("a", 1, 2)], []),
    ("B-a O I-a", [("a", 0, 1), ("a", 2, 3)], [("a", 0, 1)]),
    ("B-a I-b", [("a", 0, 1), ("b", 1, 2)], [("a", 0, 1)]),
    ("B-a I-b I-a", [("a", 0, 1), ("b", 1, 2), ("a", 2, 3)], [("a", 0, 1)]),
    ("I-a B-a I-a", [("a", 0, 1), ("a", 1, 3)], [("a", 1, 3)]),
    ("I-a I-b I-b", [("a", 0, 1), ("b", 1, 3)], []),
    (
        "B-a-x I-a-x B-a#x",
        [("a-x", 0, 2), ("a#x", 2, 3)],
        [("a-x", 0, 2), ("a#x", 2, 3)],
    ),
]


@pytest.mark.parametrize(("tags", "conlleval", "strict"), BY_HAND)
def test_chunks_by_hand(tags, conlleval, strict):
    assert chunks(tags.split()) == conlleval
    assert chunks(tags.split(), strict=True) == strict


def test_chunks_equal_seqeval():
    for tags in random_sequences(3000):
        # seqeval's default mode gives the last token, not the one after it.
        lenient = [(name, start, last + 1) for name, start, last in get_entities(tags)]
        strict = [(e.tag, e.start, e.end) for e in Tokens(tags, IOB2).entities]
        assert chunks(tags) == lenient, tags
        assert chunks(tags, strict=True) == strict, tags


@pytest.mark.filterwarnings("ignore:UNK seems not to be NE tag")
@pytest.mark.parametrize("other", ["UNK", "", None, "B", "I", "B-", "I-", "b-a", "BOX"])
def test_whatever_is_no_bio_tag_reads_as_outside(other):
    # seqeval deviates: it takes any first letter for a prefix.
    assert get_entities(["UNK"]) == [("NK", 0, 0)]
    assert split_tag(other) == ("", "")
    assert chunks(["B-a", other, "I-a"]) == [("a", 0, 1), ("a", 2, 3)]
    assert chunks(["B-a", other, "I-a"], strict=True) == [("a", 0, 1)]


def test_tag_names():
    assert tag_names([]) == ["O"]
    assert tag_names(["b", "a-x", "b"]) == ["O", "B-a-x", "I-a-x", "B-b", "I-b"]
