"""What the tasks beside intents and slots learn from."""

from dataclasses import dataclass
from dataclasses import field


@dataclass(frozen=True, slots=True)
class TextExample:
    """One text, or two, and a label.

    Args:
        text: str. Of a ranking the question.
        second: str or `None`. The other text of a pair, or the candidate; either
            of the two may be empty.
        label: str.
        origin: str. `file:line` it was read from, for messages.
    """

    text: str
    second: str | None
    label: str
    origin: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer in a passage: `passage[start:start + len(text)] == text`."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a passage, with its answers.

    Args:
        text: str.
        passage: str.
        answers: tuple of `Answer`; none where the passage has no answer.
        origin: str. `file:line`, for messages.
    """

    text: str
    passage: str
    answers: tuple[Answer, ...] = ()
    origin: str = field(default="", compare=False)
