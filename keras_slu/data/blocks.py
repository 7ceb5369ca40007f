"""Many utterances tokenised in one go: validation and statistics see blocks.

One call of the tokenizer costs as much for a thousand short texts as for ten.
"""

from functools import cached_property
from itertools import pairwise

import numpy as np

from keras_slu.text.tokenizer import code_points

UTTERANCES = 1024
CHARACTERS = 1 << 20  # a block of long texts holds fewer


class Block:
    """Utterances joined by spaces into one text, and their tokens in it.

    Places in the joined text are block places. An utterance's own tokens
    count, or those that the tokenizer finds where it comes without.

    Args:
        utterances: list of `Utterance`, not empty.
        tokenizer: `Tokenizer`.

    Attributes:
        utterances: the list.
        text: str. The joined text.
        folded: str. The same with its case folded, equally long.
        bounds: int64 array `(utterances + 1,)`. Utterance `i` begins at block
            place `bounds[i]`; a space and utterance `i + 1` follow it.
        begins: bool array `(len(text) + 1,)`. Where tokens begin.
        ends: bool array `(len(text) + 1,)`. Where tokens end, exclusive.
        lengths: int array `(utterances,)`, of tokens.
        differing: int array. Indices of the utterances whose own tokens are
            not those that the tokenizer finds.
        slots: tuple `(owners, slots, spans)` of all slots: lists of utterance
            indices and `SlotSpan`s, and an int array `(2, slots)` of block
            places where they start and end.

    Example:

    >>> from keras_slu.data.utterance import Utterance
    >>> from keras_slu.text.tokenizer import Tokenizer
    >>> block = Block([Utterance("Play it"), Utterance("stop!")], Tokenizer())
    >>> block.words(), block.lengths.tolist()
    (['play', 'it', 'stop', '!'], [2, 2])
    """

    def __init__(self, utterances, tokenizer):
        self.utterances = utterances
        self.text = " ".join([utterance.text for utterance in utterances])
        widths = np.array([len(utterance.text) + 1 for utterance in utterances])
        self.bounds = np.concatenate([[0], np.cumsum(widths)])
        codes = code_points(self.text)
        folded = tokenizer.table.fold[codes].astype("<u4")
        self.folded = folded.tobytes().decode("utf-32-le", "surrogatepass")
        self._set_tokens(self._mark(tokenizer.spans(codes)), widths)

    def _set_tokens(self, found, widths):
        own = self._mark(self._own_spans())
        has_own = np.repeat([bool(u.tokens) for u in self.utterances], widths)
        self.begins, self.ends = np.where(has_own, own, found)
        self.lengths = np.add.reduceat(self.begins, self.bounds[:-1], dtype=int)
        differs = (has_own & (own != found)).any(axis=0)
        self.differing = np.unique(self.owners(differs.nonzero()[0]))

    def _mark(self, spans):
        """Bool array `(2, len(text) + 1)`: where spans begin, where they end."""
        marks = np.zeros((2, self.bounds[-1]), bool)
        for row, places in zip(marks, spans, strict=True):
            row[places] = True
        return marks

    def _own_spans(self):
        starts, ends = [], []
        bounds = self.bounds.tolist()
        for utterance, first in zip(self.utterances, bounds, strict=False):
            for token in utterance.tokens:
                starts.append(first + token.start)
                ends.append(first + token.end)
        return starts, ends

    def owners(self, places):
        """Indices of the utterances that block places belong to."""
        return np.searchsorted(self.bounds, places, side="right") - 1

    @cached_property
    def slots(self):
        owners, slots, starts, ends = [], [], [], []
        bounds = self.bounds.tolist()
        for owner, utterance in enumerate(self.utterances):
            for slot in utterance.slots:
                owners.append(owner)
                slots.append(slot)
                starts.append(bounds[owner] + slot.start)
                ends.append(bounds[owner] + slot.end)
        return owners, slots, np.array([starts, ends], int)

    def words(self):
        """The folded tokens of all utterances, a list of str."""
        starts, ends = self.begins.nonzero()[0], self.ends.nonzero()[0]
        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        return [self.folded[start:end] for start, end in spans]

    def keys(self):
        """What repeats of a text have in common.

        Returns:
            list of str, one an utterance: case is folded, and each stretch of
            white space is one space.
        """
        pairs = pairwise(self.bounds.tolist())
        return [" ".join(self.folded[start:end].split()) for start, end in pairs]


def blocks(utterances, tokenizer):
    """Yields the `Block`s of an iterable of `Utterance`, in bounded memory."""
    pending, characters = [], 0
    for utterance in utterances:
        pending.append(utterance)
        characters += len(utterance.text)
        if len(pending) == UTTERANCES or characters > CHARACTERS:
            yield Block(pending, tokenizer)
            pending, characters = [], 0
    if pending:
        yield Block(pending, tokenizer)
