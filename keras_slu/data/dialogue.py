"""What the readers of dialogues yield."""

from dataclasses import dataclass
from dataclasses import field

from keras_slu.data.utterance import Utterance

SPEAKERS = ("user", "system")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said before the other spoke.

    Args:
        speaker: str. `"user"` or `"system"`.
        utterance: `Utterance`. Its intents and slots are the gold ones, where
            the data give them; often only for user turns.
        acts: tuple of str. Types of the dialogue acts, such as `"INFORM"`, in
            the order of the source, without repeats.
    """

    speaker: str
    utterance: Utterance
    acts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """A conversation from its beginning, in the order of time.

    Args:
        turns: tuple of `Turn`, never empty. The first may be the system's, and
            one side may have several in a row.
        name: str. What the data call it; empty when they do not.
        origin: str. `file:line` it was read from, for messages.
    """

    turns: tuple[Turn, ...]
    name: str = ""
    origin: str = field(default="", compare=False)
