"""Makes a vocabulary of word pieces from texts."""

from collections import Counter

from keras_slu.errors import InputError
from keras_slu.text.folded_words import folded_words
from keras_slu.text.word_pieces import SPECIAL

LONGEST_ENDING = 5  # characters


def make_piece_vocabulary(texts, size, min_count=1, lowercase=True):
    """Makes the vocabulary of `WordPieces`, the same for the same texts.

    It has all characters that are frequent enough, those that continue a word
    with their `##` form too, so that few words are unknown. What room is left
    goes to the most frequent of whole words and of words' endings, such as
    `##ing`.

    Args:
        texts: iterable of str.
        size: int. Number of pieces at most, the special ones included.
        min_count: int. Rarer pieces are left out. Defaults to 1.
        lowercase: bool. As of `WordPieces`. Defaults to `True`.

    Returns:
        list of str, `[PAD]`, `[UNK]`, `[CLS]`, `[SEP]` and `[MASK]` first, the
        others by falling count and, where that is equal, by code points.

    Raises:
        InputError: when `size` has no room for the characters.

    Example:

    >>> make_piece_vocabulary(["go going, going", "走"], size=14)[5:]
    ['##o', 'g', '##g', '##i', '##n', ',', '走', '##ing', '##ng']
    """
    words = Counter()
    for text in texts:
        words.update(word.text for word in folded_words(text, lowercase))
    characters, longer = Counter(), Counter()
    for word, count in words.items():
        characters[word[0]] += count
        for character in word[1:]:
            characters[f"##{character}"] += count
        if len(word) > 1:
            longer[word] += count
        for start in range(max(1, len(word) - LONGEST_ENDING), len(word) - 1):
            longer[f"##{word[start:]}"] += count
    kept = _most_frequent(characters, min_count)
    room = size - len(SPECIAL) - len(kept)
    if room < 0:
        raise InputError(
            f"a vocabulary of {size} pieces has no room for the "
            f"{len(kept):,} characters of the texts",
            "Raise text.vocabulary_size, or text.min_count.",
        )
    kept += _most_frequent(longer, min_count)[:room]
    return [*SPECIAL, *kept]


def _most_frequent(counts, min_count):
    found = [piece for piece, count in counts.items() if count >= min_count]
    return sorted(found, key=lambda piece: (-counts[piece], piece))
