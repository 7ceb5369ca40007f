"""Endings of words: what a word that is not known may still be known by."""

from collections import Counter

# Begins the entry of an ending in a vocabulary. As a separator, it is in no word.
MARKER = "\t"
LEAST_WORDS = 10  # that end so, or the ending says little
_DIGITS = str.maketrans("123456789", "000000000")


def is_ending(entry):
    """Whether a vocabulary's entry is an ending, not a word."""
    return entry.startswith(MARKER)


def endings_of(word, longest):
    """A word's endings, the longest first; a digit is as good as another.

    Args:
        word: str, folded.
        longest: int. The most characters of an ending.

    Example:

    >>> list(endings_of("12:45", 3))
    [':00', '00', '0']
    >>> list(endings_of("in", 3))
    ['in', 'n']
    """
    tail = word[-longest:].translate(_DIGITS) if longest else ""
    return (tail[start:] for start in range(len(tail)))


def frequent_endings(words, longest):
    """The endings that `LEAST_WORDS` words or more have, in order.

    Args:
        words: iterable of str, folded, each once.
        longest: int. The most characters of an ending; 0 for no endings.
    """
    counts = Counter(ending for word in words for ending in endings_of(word, longest))
    return sorted(ending for ending, count in counts.items() if count >= LEAST_WORDS)
