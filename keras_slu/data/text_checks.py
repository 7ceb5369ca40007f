"""Checks of one block of utterances: what each shows by itself."""

import re
from dataclasses import replace
from reprlib import repr as short

from keras_slu.data.alignment import bio_tags
from keras_slu.data.encoding import tokens_of
from keras_slu.data.findings import Finding
from keras_slu.data.findings import place
from keras_slu.errors import InputError
from keras_slu.text.table import SEPARATOR

_SURROGATES = "[\ud800-\udfff]"
_UNFIT = re.compile(f"{_SURROGATES}|(?! ){SEPARATOR.pattern}")


def check_block(block, tokenizer, max_tokens):
    """Checks the utterances of a block, each by itself.

    Args:
        block: `Block`.
        tokenizer: the `Tokenizer` that made it.
        max_tokens: int. Longer utterances are cut by a model.

    Yields:
        `Finding`s.
    """
    yield from _slots_off_tokens(block, tokenizer)
    yield from _unfit_characters(block)
    yield from _double_spaces(block)
    yield from _lengths(block, max_tokens)
    yield from _other_tokens(block, tokenizer)


def _warning(kind, utterance, problem, remedy):
    return Finding(kind, "warning", *place(utterance.origin), problem, remedy)


def _slots_off_tokens(block, tokenizer):
    owners, slots, (starts, ends) = block.slots
    is_off = ~(block.begins[starts] & block.ends[ends])
    for index in is_off.nonzero()[0]:
        utterance = block.utterances[owners[index]]
        alone = replace(utterance, slots=(slots[index],))
        try:
            bio_tags(alone, tokens_of(utterance, tokenizer))
        except InputError as fault:  # told as training would tell it
            yield Finding(
                "slot_off_tokens",
                "error",
                *place(utterance.origin),
                fault.problem,
                fault.remedy,
            )


def _unfit_characters(block):
    if block.text.isprintable():  # so are most; all that is unfit is not
        return
    found = {}
    for match in _UNFIT.finditer(block.text):
        owner = int(block.owners(match.start()))
        found.setdefault(owner, {})[match[0]] = None
    for owner, characters in found.items():
        yield _unfit(block.utterances[owner], characters)


def _unfit(utterance, characters):
    told = ", ".join(f"U+{ord(character):04X}" for character in characters)
    where = place(utterance.origin)
    if any("\ud800" <= character <= "\udfff" for character in characters):
        problem, remedy = f"the text holds {told}, a lone surrogate", "Remove it."
        return Finding("surrogate", "error", *where, problem, remedy)
    if any(SEPARATOR.search(token.text) for token in utterance.tokens):
        problem, remedy = f"a token holds the separator {told}", "Make two tokens."
        return Finding("separator", "error", *where, problem, remedy)
    return Finding(
        "separator",
        "warning",
        *where,
        f"the text holds {told}, which will only separate tokens",
        "Write a plain space, or nothing.",
    )


def _double_spaces(block):
    for utterance in block.utterances:
        if "  " in utterance.text:
            yield _warning(
                "double_space",
                utterance,
                f"two spaces in a row in {short(utterance.text)}",
                "Write one, unless the text is to stay as it is.",
            )


def _lengths(block, max_tokens):
    for index in (block.lengths == 0).nonzero()[0]:
        yield _warning(
            "empty",
            block.utterances[index],
            f"no token in {short(block.utterances[index].text)}",
            "Remove it, or keep it as an example of an unknown word.",
        )
    for index in (block.lengths > max_tokens).nonzero()[0]:
        yield _warning(
            "too_long",
            block.utterances[index],
            f"{block.lengths[index]} tokens, of which a model reads {max_tokens}",
            "Split it, or raise text.max_tokens in the recipe.",
        )


def _other_tokens(block, tokenizer):
    for index in block.differing:
        utterance = block.utterances[index]
        yield _warning(
            "other_tokens",
            utterance,
            _difference(utterance.tokens, tokenizer.tokenize(utterance.text)),
            "Keep text.tokenizer: auto, and split raw text as the data are split.",
        )


def _difference(own, found):
    """Tells the first place where an utterance's tokens and others differ."""
    for token in own:
        if token not in found:
            inside = [t for t in found if t.start < token.end and t.end > token.start]
            told = " ".join(repr(t.text) for t in inside) or "nothing"
            return f"the word {token.text!r} is {told} to the tokenizer"
    extra = next(token for token in found if token not in own)
    return f"{extra.text!r} is in no token, but is one to the tokenizer"
