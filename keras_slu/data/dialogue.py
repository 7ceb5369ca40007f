"""What the readers of dialogues yield."""

from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace

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


def user_turns(dialogue):
    """What the user said, as utterances that know their place in the dialogue.

    Args:
        dialogue: `Dialogue`.

    Yields:
        `Utterance` with `turn`, `prompts` and `acts`.

    Example:

    >>> turns = [Turn("system", Utterance("Yes?")), Turn("user", Utterance("stop"))]
    >>> [turn] = user_turns(Dialogue(turns))
    >>> turn.text, turn.prompts[0].text
    ('stop', 'Yes?')
    """
    number, prompts = 0, []
    for turn in dialogue.turns:
        if turn.speaker == "system":
            prompts.append(turn.utterance)
            continue
        yield replace(
            turn.utterance, turn=number, prompts=tuple(prompts), acts=turn.acts
        )
        number, prompts = number + 1, []


def with_acts(utterances):
    """Gives utterances the types of their dialogue acts for intents.

    >>> [turn] = with_acts([Utterance("now", acts=("INFORM",))])
    >>> turn.intents
    ('INFORM',)
    """
    return [replace(turn, intents=turn.acts) for turn in utterances]


def dialogues_of(utterances):
    """Groups utterances that stand in a row by their dialogues.

    Args:
        utterances: list of `Utterance`. One whose `turn` does not grow begins
            a dialogue.

    Returns:
        list of lists of int, the places of each dialogue's utterances.

    >>> dialogues_of([Utterance("a"), Utterance("b", turn=1), Utterance("c")])
    [[0, 1], [2]]
    """
    found = []
    for place, utterance in enumerate(utterances):
        if place == 0 or utterance.turn <= utterances[place - 1].turn:
            found.append([])
        found[-1].append(place)
    return found
