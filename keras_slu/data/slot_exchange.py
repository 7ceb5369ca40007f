"""More training data: utterances with each other's slot values."""

from dataclasses import replace

import numpy as np

from keras_slu.data.encoding import UNSEEN
from keras_slu.data.encoding import pad_rows
from keras_slu.data.tags import chunks


class SlotExchange:
    """Puts other values into the slots of training utterances.

    "play hey jude" becomes "play the wall" when both are songs somewhere in
    training. A value is drawn as often as training has it. Nothing but
    training data goes in.

    Args:
        examples: `Examples` of training.
        tags: list of str. BIO names of the tag ids.
        max_tokens: int. An utterance that would get longer stays as it is.

    Reference:
        - [Louvan and Magnini, 2020](https://arxiv.org/abs/2012.04261), slot
          substitution
    """

    def __init__(self, examples, tags, max_tokens):
        self._examples = examples
        self._max_tokens = max_tokens
        self._values = {}  # of each slot name, pairs of token ids and tag ids
        self._spans = []  # of each utterance, (name, first, end)
        for ids, slots, length in zip(
            examples.token_ids, examples.slots, examples.lengths, strict=True
        ):
            names = [tags[tag] if tag != UNSEEN else "O" for tag in slots[:length]]
            spans = list(chunks(names))
            self._spans.append(spans)
            for name, first, end in spans:
                value = ids[first:end], slots[first:end]
                self._values.setdefault(name, []).append(value)

    def exchange(self, rate, random):
        """Gives the utterances anew.

        Args:
            rate: float. The share of slots that get another value.
            random: `numpy.random.Generator`.

        Returns:
            `Examples`, in the order of those given.
        """
        ids, slots = [], []
        for place in range(len(self._examples)):
            row = self._row(place, rate, random)
            ids.append(row[0])
            slots.append(row[1])
        return replace(
            self._examples,
            token_ids=pad_rows(ids, 0),
            slots=pad_rows(slots, UNSEEN),
            lengths=np.array([len(row) for row in ids], np.int32),
        )

    def _row(self, place, rate, random):
        length = self._examples.lengths[place]
        ids = self._examples.token_ids[place, :length]
        slots = self._examples.slots[place, :length]
        parts, done = [], 0
        for name, first, end in self._spans[place]:
            if random.random() >= rate:
                continue
            values = self._values[name]
            parts += [(ids[done:first], slots[done:first])]
            parts += [values[random.integers(len(values))]]
            done = end
        if not parts:
            return ids, slots
        parts.append((ids[done:], slots[done:]))
        if sum(len(part) for part, _ in parts) > self._max_tokens:
            return ids, slots
        return tuple(map(np.concatenate, zip(*parts, strict=True)))
