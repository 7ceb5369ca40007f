"""The tokenizer and the vocabulary in the graph: the same algorithm, no strings.

`Tokenizer.spans` and `Vocabulary.ids`, written with operations that LiteRT has
as builtins, over one flat vector of code points. A batch of texts is laid end
to end in such a vector, so there is no second algorithm for it.
"""

import numpy as np
import tensorflow as tf

from keras_slu.text.endings import is_ending
from keras_slu.text.table import CODE_POINTS
from keras_slu.text.table import JOINER
from keras_slu.text.table import MARK
from keras_slu.text.table import SINGLE
from keras_slu.text.table import SPACE
from keras_slu.text.table import WORD
from keras_slu.text.tokenizer import code_points
from keras_slu.text.vocabulary import FIRST_WORD
from keras_slu.text.vocabulary import PADDING
from keras_slu.text.vocabulary import UNKNOWN

REPLACEMENT = 0xFFFD  # stands for what is no code point
SEPARATOR = 0  # NUL: a SPACE of every table, so it pads a text and ends it
_PAGE = 128  # the size of a page at which the table takes least room


class InGraphTokenizer:
    """Finds and looks up the tokens of code points inside a TensorFlow graph.

    The result equals `Tokenizer` and `Vocabulary`, token by token. Called on a
    flat vector it uses builtin LiteRT operations only, and its shapes follow
    the input's, known or not. Its tables become constants of the graph.

    The code point table is kept as pages of which equal ones are stored once
    (128 KB instead of 5.5 MB). A word is looked up by two 32-bit hashes of its
    folded code points, each the sum of code points times odd weights of their
    places: a binary search for the first, then a comparison of both. No two
    known words share them. An unknown word that differs from a known one in
    one place never matches it; one that differs in more places does with a
    probability near 2^-62 for each known word, 1e-14 with 50,000 of them. The
    endings of a vocabulary are words too, hashed from their last code point on
    with weights of their own, and looked up at the same time.

    Args:
        tokenizer: `Tokenizer`.
        vocabulary: `Vocabulary`, or `None` to find tokens alone: each has the
            unknown word's id.

    Call arguments:
        codepoints: int32 tensor `(n,)`. What is below 0 or above 0x10FFFF
            counts as U+FFFD. 0 belongs to no token, so it can pad.

    Returns:
        `(token_ids, starts, ends)`: int32 tensors `(tokens,)`; the offsets are
        places in `codepoints`, ends exclusive. All three are empty where there
        is nothing but separators.

    Example:

    >>> from keras_slu.text.tokenizer import Tokenizer
    >>> from keras_slu.text.vocabulary import Vocabulary
    >>> tokenizer = InGraphTokenizer(Tokenizer(), Vocabulary(["play", "zoë"]))
    >>> token_ids, starts, ends = tokenizer(code_points("Play it, ZOË").astype("i"))
    >>> token_ids.numpy().tolist(), starts.numpy().tolist()
    ([2, 1, 1, 3], [0, 5, 7, 9])
    """

    def __init__(self, tokenizer, vocabulary):
        self._page_of, self._entries = _make_pages(tokenizer.table)
        self._weights = None
        if vocabulary is None:
            return
        self._weights, self._ending_weights, hashes = _distinct_hashes(vocabulary)
        order = np.argsort(hashes[:, 0], kind="stable")
        self._hashes = hashes[order]
        self._ids = (order + FIRST_WORD).astype(np.int32)
        # How many neighbours may share the first hash.
        self._longest_run = int(np.unique(hashes[:, 0], return_counts=True)[1].max())

    def __call__(self, codepoints):
        kinds, folded = self._classify(codepoints)
        starts, ends, token = _spans(kinds)
        if self._weights is None:
            return tf.fill(tf.shape(starts), UNKNOWN), starts, ends
        # The place of each code point in its token; 0 before the first token.
        # (Counted, since a size that is computed costs a device much time.)
        place = tf.cumsum(tf.cast(kinds >= 0, tf.int32)) - 1
        place -= tf.gather(tf.pad(starts, [[1, 0]]), token)
        place = tf.minimum(place, len(self._weights) - 1)
        terms = folded[:, None] * tf.gather(self._weights, place)  # (n, 2), wraps
        sums = tf.pad(tf.cumsum(terms), [[1, 0], [0, 0]])
        hashes = tf.gather(sums, ends) - tf.gather(sums, starts)  # (tokens, 2)
        if len(self._ending_weights):
            return self._find_endings_too(hashes, folded, starts, ends), starts, ends
        return self._find(hashes), starts, ends

    def _find_endings_too(self, hashes, folded, starts, ends):
        """The ids of words or, where not known, of their longest known endings."""
        is_digit = (folded >= ord("0")) & (folded <= ord("9"))
        folded = tf.where(is_digit, ord("0"), folded)
        candidates, reaches = [hashes], [starts >= 0]
        ending = tf.zeros_like(hashes)
        for place, weights in enumerate(self._ending_weights):
            source = ends - 1 - place
            ending += tf.gather(folded, tf.maximum(source, 0))[:, None] * weights
            candidates.insert(1, ending)  # the longest first, behind the word
            reaches.insert(1, source >= starts)
        ids = self._find(tf.concat(candidates, axis=0))
        ids = tf.where(tf.concat(reaches, axis=0), ids, UNKNOWN)
        ids = tf.reshape(ids, (len(candidates), -1))  # (candidates, tokens)
        found = ids[-1]
        for place in reversed(range(len(candidates) - 1)):
            found = tf.where(ids[place] == UNKNOWN, found, ids[place])
        return found

    def kinds(self, codepoints):
        """The class of each code point in the tokenizer's table, int32 `(n,)`."""
        return self._classify(codepoints)[0]

    def _classify(self, codepoints):
        """The class and the folded form of each code point."""
        is_valid = (codepoints >= 0) & (codepoints < CODE_POINTS)
        codepoints = tf.where(is_valid, codepoints, REPLACEMENT)
        page = tf.gather(self._page_of, codepoints // _PAGE)
        entries = tf.gather(self._entries, page * _PAGE + codepoints % _PAGE)
        return entries % 8, codepoints + entries // 8

    def _find(self, hashes):
        """The ids of hashes `(tokens, 2)`."""
        first, size = hashes[:, 0], len(self._ids)
        known = tf.constant(self._hashes)  # once, though gathered from often
        known_first = tf.constant(self._hashes[:, 0])
        known_ids = tf.constant(self._ids)
        place = tf.zeros_like(first)  # how many known hashes are smaller
        for bit in reversed(range(size.bit_length())):
            probe = tf.minimum(place + 2**bit, size)
            is_smaller = tf.gather(known_first, probe - 1) < first
            place = tf.where(is_smaller, probe, place)
        ids = UNKNOWN
        for step in range(self._longest_run):
            probe = tf.minimum(place + step, size - 1)
            is_equal = tf.reduce_all(tf.gather(known, probe) == hashes, axis=1)
            ids = tf.where(is_equal, tf.gather(known_ids, probe), ids)
        return ids

    def rows(self, texts, max_tokens):
        """Finds and looks up the tokens of a batch of texts.

        Not for LiteRT: its input are strings.

        Args:
            texts: string tensor `(batch,)` of UTF-8. What is invalid in it
                reads as U+FFFD, as `bytes.decode(errors="replace")` has it.
            max_tokens: int. Tokens beyond it are cut.

        Returns:
            dict of tensors `(batch, time)`: `token_ids`, int32, 0 at padding;
            `tokens`, strings, `""` at padding; `starts` and `ends`, int32, -1
            at padding; and `truncated`, bool `(batch,)`. A text without tokens
            is one unknown token, `""` from -1 to -1.
        """
        rows = tf.strings.unicode_decode(texts, "UTF-8")
        batch = tf.size(texts)
        # The separator keeps the last token of a row from running on.
        rows = tf.concat([rows, tf.fill((batch, 1), SEPARATOR)], axis=1)
        token_ids, starts, ends = self(rows.values)
        row = tf.gather(tf.cast(rows.value_rowids(), tf.int32), starts)
        in_row = tf.gather(tf.cast(rows.row_starts(), tf.int32), row)
        table = _RowTable(row, batch, max_tokens)
        return {
            "token_ids": tf.where(
                table.is_empty & (table.columns == 0),
                UNKNOWN,
                table.fill(token_ids, PADDING),
            ),
            "tokens": table.fill(token_texts(rows.values, starts, ends), ""),
            "starts": table.fill(starts - in_row, -1),
            "ends": table.fill(ends - in_row, -1),
            "truncated": table.truncated,
        }


class _RowTable:
    """Puts the values of all tokens back into the rows that they come from."""

    def __init__(self, row, batch, max_tokens):
        counts = tf.math.unsorted_segment_sum(tf.ones_like(row), row, batch)
        self.truncated = counts > max_tokens
        self.is_empty = (counts == 0)[:, None]
        kept = tf.minimum(counts, max_tokens)
        # A row has one column at least, and so has a batch of no rows.
        time = tf.reduce_max(tf.concat([kept, [1]], axis=0))
        self.columns = tf.range(time)[None]
        self._is_token = self.columns < kept[:, None]
        first = tf.cumsum(counts, exclusive=True)[:, None]
        # Where there is no token: the filling behind the last one.
        self._source = tf.where(self._is_token, first + self.columns, tf.size(row))

    def fill(self, values, filling):
        """`values` `(tokens,)` as `(batch, time)`, with `filling` elsewhere."""
        return tf.gather(tf.concat([values, [filling]], axis=0), self._source)


def _spans(kinds):
    """`Tokenizer.spans` from the classes on.

    Returns:
        `(starts, ends, token)`: int32 `(tokens,)`, twice, and for each code
        point `(n,)` the number of the token that started last, from 1.
    """
    # A mark takes the class of its base; one with no base counts as a word.
    before = shift(kinds)
    is_base = (kinds < MARK) | (before == SPACE)
    bases = tf.gather(kinds, places(is_base))
    bases = tf.where(bases >= MARK, WORD, bases)
    kinds = tf.gather(bases, tf.cumsum(tf.cast(is_base, tf.int32)) - 1)
    kind_before = shift(kinds)
    joined = (before == JOINER) & (kinds == SINGLE) & (kind_before == SINGLE)
    continues = joined | ~is_base | ((kinds == WORD) & (kind_before == WORD))

    is_inside = kinds != SPACE
    is_start = is_inside & ~continues
    goes_on = tf.pad(is_inside & continues, [[0, 1]])[1:]
    ends = places(is_inside & ~goes_on) + 1
    return places(is_start), ends, tf.cumsum(tf.cast(is_start, tf.int32))


def shift(kinds):
    """The class before each; `SPACE`, which is 0, before the first."""
    return tf.pad(kinds, [[1, 0]])[:-1]


def places(mask):
    """Where `mask` is true, int32."""
    return tf.cast(tf.where(mask)[:, 0], tf.int32)


def token_texts(codepoints, starts, ends):
    """The text of each token, UTF-8 `(tokens,)`."""
    places = tf.ragged.range(starts, ends)
    return tf.strings.unicode_encode(tf.gather(codepoints, places), "UTF-8")


def _make_pages(table):
    """The table in pages: which page each has, and the pages end to end.

    An entry is `8 * shift + class`, where `shift` leads to the folded form:
    most shifts are 0, which makes most pages equal.
    """
    shift = table.fold - np.arange(CODE_POINTS, dtype=np.int32)
    entries = (8 * shift + table.classes).reshape(-1, _PAGE)
    pages, page_of = np.unique(entries, axis=0, return_inverse=True)
    return page_of.ravel().astype(np.int32), pages.ravel().astype(np.int32)


def _distinct_hashes(vocabulary):
    """Weights by place and the hashes of all entries, `(words, 2)`.

    Returns:
        `(weights, ending_weights, hashes)`: the weights of places from the
        start of a word `(longest + 1, 2)`, of which the last are those of all
        places that no known word has, and of places from the end of an ending
        `(longest_ending, 2)`.
    """
    are_endings = np.array([is_ending(word) for word in vocabulary.words])
    words = [code_points(word).astype(np.int32) for word in vocabulary.words]
    # Of an ending without its marker, the last code point comes first.
    words = [
        word[:0:-1] if of_ending else word
        for word, of_ending in zip(words, are_endings, strict=True)
    ]
    lengths = np.array([len(word) for word in words])
    flat = np.concatenate(words)
    starts = np.cumsum(lengths) - lengths
    place = np.arange(len(flat)) - np.repeat(starts, lengths)
    longest_word = lengths[~are_endings].max(initial=0)
    place += np.repeat(are_endings, lengths) * (longest_word + 1)
    seed = 0
    while True:
        random = np.random.default_rng(seed)
        shape = (longest_word + 1 + vocabulary.longest_ending, 2)
        # Odd, so that a change in one place always changes the hash.
        weights = random.integers(-(2**31), 2**31, shape, np.int32) | 1
        terms = flat[:, None] * weights[place]
        hashes = np.add.reduceat(terms, starts, dtype=np.int32)
        if len(np.unique(hashes, axis=0)) == len(words):
            return *np.split(weights, [longest_word + 1]), hashes
        seed += 1
