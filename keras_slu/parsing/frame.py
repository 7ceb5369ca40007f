"""What a parse returns."""

from dataclasses import asdict
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Intent:
    """One intent of the ranking, with its calibrated probability."""

    name: str
    probability: float
    active: bool


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot: `frame.text[start:end] == value`; offsets in code points."""

    name: str
    value: str
    start: int
    end: int
    confidence: float


@dataclass(frozen=True, slots=True)
class Frame:
    """The meaning of one utterance.

    Args:
        text: str. The text that was parsed, exactly as given.
        intents: tuple of `Intent`, all that the model knows, by falling
            probability. The `active` ones, as a set, are the answer.
        slots: tuple of `Slot`, by rising `start`, never overlapping.
        is_unknown: bool. Whether the utterance is outside what was learned.
        truncated: bool. Whether the text was cut at the run's `max_tokens`.
    """

    text: str
    intents: tuple[Intent, ...]
    slots: tuple[Slot, ...]
    is_unknown: bool = False
    truncated: bool = False

    @property
    def active_intents(self):
        """The names of the active intents, most probable first."""
        return tuple(intent.name for intent in self.intents if intent.active)

    def to_dict(self):
        """The frame as plain dicts and lists, ready for `json.dumps`."""
        return asdict(self)
