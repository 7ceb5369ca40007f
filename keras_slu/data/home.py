"""The embedded corpus: commands to a home and media assistant."""

import itertools
import random
import re
from pathlib import Path

import yaml

from keras_slu.data.grammar import draw
from keras_slu.data.grammar import parse
from keras_slu.data.json_lines import iter_json_lines
from keras_slu.data.utterance import SlotSpan
from keras_slu.data.utterance import Utterance
from keras_slu.errors import InputError

FOLDER = Path(__file__).parent / "home_corpus"
_QUESTION = re.compile(
    r"(what|how|is|will|do|can|could|would|any|hey,? can|are)\b", re.IGNORECASE
)
_SMALL_WORDS = {"the", "of", "in", "at", "on", "and", "from", "my", "to"}


def read_home(split):
    """Reads the home corpus that comes with the package.

    13 intents (7 % of the utterances have two) and 22 slots. The training
    utterances are generated from a grammar, always the same ones; those of dev
    and test are written by hand, with other phrasings and other values, so
    that a score on them says something. `home_corpus/README.md` tells more.

    Args:
        split: str. `"train"`, `"dev"` or `"test"`.

    Returns:
        A list of `Utterance`, without tokens.

    Raises:
        InputError: another `split`.

    Example:

    >>> utterance = read_home("train")[0]
    >>> utterance.text, utterance.intents
    ('i can barely see in here turn on the lights', ('turn_on',))
    """
    if split == "train":
        text = (FOLDER / "grammar.yaml").read_text(encoding="utf-8")
        return _generate(yaml.safe_load(text))
    if split in ("dev", "test"):
        return list(iter_json_lines(FOLDER / f"{split}.jsonl"))
    raise InputError(
        f"the home corpus has no split {split!r}", "Name train, dev or test."
    )


def _generate(grammar):
    """In each round one utterance of every intent and one of two intents."""
    rng = random.Random(grammar["seed"])
    rules = {name: parse(pattern) for name, pattern in grammar["rules"].items()}
    rules |= {name: parse(slot["values"]) for name, slot in grammar["slots"].items()}
    proper = {name for name, slot in grammar["slots"].items() if slot.get("proper")}
    singles, pairs = _patterns(grammar)
    seen, utterances = set(), []
    for _ in range(grammar["rounds"]):
        pair = pairs[int(rng.random() * len(pairs))]
        for intents, pattern, own_rules in [*singles, pair]:
            text, spans = _draw_new(pattern, rules | own_rules, rng, seen)
            if rng.random() < grammar["written_share"]:
                text = _written(text, [span for span in spans if span[0] in proper])
            slots = tuple(SlotSpan(*span) for span in spans)
            origin = f"grammar.yaml: {' and '.join(intents)}"
            utterances.append(Utterance(text, (), slots, intents, origin))
    return utterances


def _patterns(grammar):
    """Two lists of `(intents, pattern, rules)`: of one intent, of two intents."""
    frames = {name: parse(pattern) for name, pattern in grammar["frames"].items()}
    commands, lines, singles, pairs = {}, {}, [], []
    for name, intent in grammar["intents"].items():
        commands[name] = _any_line(intent["commands"])
        others = _any_line(intent["others"])
        lines[name] = commands[name] + others
        frame = frames["free_text" if intent.get("free_text") else "command"]
        # As many frames as commands: all lines are equally likely.
        pattern = ([frame],) * len(commands[name]) + others
        singles.append(((name,), pattern, {"command": commands[name]}))
    for first, second in itertools.permutations(grammar["intents"], 2):
        if not grammar["intents"][first].get("free_text"):
            rules = {
                "first": commands[first],
                "second": commands[second],
                "any_first": lines[first],
                "any_second": lines[second],
            }
            pairs.append(((first, second), frames["joint"], rules))
    return singles, pairs


def _any_line(block):
    """The pattern that is any of the lines of `block`."""
    return tuple([parse(line)] for line in block.splitlines())


def _draw_new(pattern, rules, rng, seen):
    """Draws until the words are new and no slot has the same value twice."""
    while True:
        text, spans = draw(pattern, rules, rng)
        values = {(slot, text[start:end]) for slot, start, end in spans}
        words = text.replace(",", "").lower()
        if words not in seen and len(values) == len(spans):
            seen.add(words)
            return text, spans


def _written(text, names):
    """As somebody would type it; the characters keep their places."""
    for _, start, end in names:
        words = [
            word if word in _SMALL_WORDS else word[:1].upper() + word[1:]
            for word in text[start:end].split(" ")
        ]
        text = text[:start] + " ".join(words) + text[end:]
    text = re.sub(r"\bi\b", "I", text[:1].upper() + text[1:])
    if text.endswith("."):  # of "p.m."
        return text
    return text + ("?" if _QUESTION.match(text) else ".")
