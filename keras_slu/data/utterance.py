"""What every reader yields and everything later takes."""

from dataclasses import dataclass
from dataclasses import field


@dataclass(frozen=True, slots=True)
class Token:
    """A token and where it stands: `utterance.text[start:end] == text`.

    Offsets count Unicode code points.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SlotSpan:
    """A labelled stretch of text, `utterance.text[start:end]`."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Utterance:
    """One labelled (or unlabelled) utterance.

    Args:
        text: str. What was said, exactly.
        tokens: tuple of `Token`. The tokens of data that come tokenised;
            empty when the tokenizer has still to find them.
        slots: tuple of `SlotSpan`, by rising `start`, never overlapping.
        intents: tuple of str, in the order of the source, without repeats.
            As a set they are the gold intents; empty when there is none.
        origin: str. `file:line` it was read from, for messages.
        turn: int. How many turns of a dialogue its speaker had before; 0 for
            the first, and outside of dialogues. The turns of a dialogue stand
            in a row, in order.
        prompts: tuple of `Utterance`. What the system has said since the turn
            before.
        acts: tuple of str. Types of its dialogue acts, where data give them.
    """

    text: str
    tokens: tuple[Token, ...] = ()
    slots: tuple[SlotSpan, ...] = ()
    intents: tuple[str, ...] = ()
    origin: str = field(default="", compare=False)
    turn: int = 0
    prompts: tuple["Utterance", ...] = ()
    acts: tuple[str, ...] = ()
