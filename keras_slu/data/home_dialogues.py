"""The embedded dialogues with a home assistant, whose follow-ups need history."""

import random
from pathlib import Path

import yaml

from keras_slu.data.dialogue import Dialogue
from keras_slu.data.dialogue import Turn
from keras_slu.data.dialogue_lines import iter_dialogue_lines
from keras_slu.data.grammar import draw
from keras_slu.data.grammar import parse
from keras_slu.data.home import FOLDER as HOME
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.errors import InputError

FOLDER = Path(__file__).parent / "home_dialogues_corpus"


def read_home_dialogues(split):
    """Reads the corpus of short dialogues that comes with the package.

    Intents and slots are those of the home corpus. A follow-up such as "and in
    the kitchen?" has the intent, and "make it twenty" the slot, that the topic
    before it gives. Training dialogues are generated, always the same ones;
    those of dev and test are written by hand.
    `home_dialogues_corpus/README.md` tells more.

    Args:
        split: str. `"train"`, `"dev"` or `"test"`.

    Returns:
        A list of `Dialogue`, whose utterances come without tokens.

    Raises:
        InputError: another `split`.

    Example:

    >>> dialogue = read_home_dialogues("test")[0]
    >>> [(turn.speaker, turn.utterance.text) for turn in dialogue.turns][:3]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('user', 'could you get the lamp in the nursery going'),
     ('system', 'The lamp is on.'),
     ('user', "and the one in the study, that's a lamp too")]
    """
    if split == "train":
        return list(_generate())
    if split in ("dev", "test"):
        return [_raw(one) for one in iter_dialogue_lines(FOLDER / f"{split}.jsonl")]
    raise InputError(
        f"the home dialogues have no split {split!r}", "Name train, dev or test."
    )


def _raw(dialogue):
    """The dialogue with texts as they are said, in one string."""
    turns = tuple(
        Turn(turn.speaker, _without_tokens(turn.utterance)) for turn in dialogue.turns
    )
    return Dialogue(turns, dialogue.name, dialogue.origin)


def _without_tokens(said):
    return Utterance(said.text, (), said.slots, said.intents, said.origin)


def _generate():
    """In each round a dialogue for every intent, in which it comes up first."""
    own = _load(FOLDER / "grammar.yaml")
    home = _load(HOME / "grammar.yaml")
    rng = random.Random(own["seed"])
    parts = home["rules"] | own["rules"] | own["shared"]
    rules = {name: parse(pattern) for name, pattern in parts.items()}
    rules |= {name: parse(slot["values"]) for name, slot in home["slots"].items()}
    openings = {
        name: _any_line(intent["commands"]) for name, intent in home["intents"].items()
    }
    more = {name: _any_line(block) for name, block in own["more"].items()}

    def say(intent, patterns):
        text, spans = draw(patterns, rules, rng)
        slots = tuple(SlotSpan(*span) for span in spans)
        return Turn("user", Utterance(text, (), slots, (intent,), "grammar.yaml"))

    for number in range(own["rounds"]):
        for intent in more:
            said = [say(intent, openings[intent])]
            said += [say(intent, more[intent]) for _ in range(1 + _chance(rng, 0.4))]
            if _chance(rng, 0.6):
                other = list(more)[int(rng.random() * len(more))]
                said += [say(other, openings[other]), say(other, more[other])]
            turns = list(_answered(said, rules["replies"], rules, rng))
            yield Dialogue(tuple(turns), f"{intent}-{number}", "grammar.yaml")


def _answered(said, replies, rules, rng):
    """The turns of both sides; the system does not always answer."""
    for turn in said:
        yield turn
        if turn is not said[-1] and _chance(rng, 0.7):
            yield Turn("system", Utterance(draw(replies, rules, rng)[0]))


def _chance(rng, share):
    return rng.random() < share


def _any_line(block):
    """The pattern that is any of the lines of `block`."""
    return tuple([parse(line)] for line in block.splitlines())


def _load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))
