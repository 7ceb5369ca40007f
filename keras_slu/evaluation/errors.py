"""What is wrong with a parse, error by error."""

from dataclasses import dataclass

from keras_slu.data.utterance import SlotSpan
from keras_slu.parsing.frame import Slot

KINDS = ("intent", "boundary", "type", "missed", "spurious")


@dataclass(frozen=True, slots=True)
class SlotError:
    """One slot that is not as it should be.

    Args:
        kind: str. `"boundary"`: the right name, other bounds that overlap.
            `"type"`: another name, the same or overlapping bounds.
            `"missed"`: a gold slot that nothing predicted stands for.
            `"spurious"`: a predicted slot that stands for nothing.
        gold: `SlotSpan`; `None` where spurious.
        predicted: `Slot`; `None` where missed.
    """

    kind: str
    gold: SlotSpan | None
    predicted: Slot | None


def span(slot):
    """What must be equal for a slot to be right: name, start and end."""
    return slot.name, slot.start, slot.end


def slot_errors(gold, predicted):
    """Pairs the slots that are wrong, each with what it was taken for.

    A pair shares its bounds, or else its name, or else only overlaps; what is
    in no pair was missed or is spurious.

    Args:
        gold: sequence of `SlotSpan`.
        predicted: sequence of `Slot`.

    Returns:
        list of `SlotError`, by rising start.

    Example:

    >>> [error] = slot_errors([SlotSpan("song", 5, 13)],
    ...                       [Slot("song", "jude", 9, 13, 0.9)])
    >>> error.kind
    'boundary'
    """
    right = set(map(span, gold)) & set(map(span, predicted))
    wanted = [slot for slot in gold if span(slot) not in right]
    given = [slot for slot in predicted if span(slot) not in right]
    found = []
    for kind, fits in (
        ("type", lambda g, p: (g.start, g.end) == (p.start, p.end)),
        ("boundary", lambda g, p: g.name == p.name and _overlap(g, p)),
        ("type", _overlap),
    ):
        for slot in list(wanted):
            partner = next((other for other in given if fits(slot, other)), None)
            if partner is not None:
                found.append(SlotError(kind, slot, partner))
                wanted.remove(slot)
                given.remove(partner)
    found += [SlotError("missed", slot, None) for slot in wanted]
    found += [SlotError("spurious", None, slot) for slot in given]
    return sorted(found, key=lambda error: (error.gold or error.predicted).start)


def _overlap(one, other):
    return one.start < other.end and other.start < one.end


def intents_right(utterance, frame):
    """Whether the active intents are the gold's, as sets."""
    return set(utterance.intents) == set(frame.active_intents)


def answer_confidence(frame):
    """How sure a frame is of its intents.

    The least probability of the active ones; where none is active, what the
    most probable one lacks to 1.

    Example:

    >>> from keras_slu.parsing.frame import Frame, Intent
    >>> answer_confidence(Frame("hi", (Intent("a", 0.75, True),), ()))
    0.75
    >>> answer_confidence(Frame("hi", (Intent("a", 0.25, False),), ()))
    0.75
    """
    active = [intent.probability for intent in frame.intents if intent.active]
    if active:
        return min(active)
    return 1.0 - max((intent.probability for intent in frame.intents), default=0.0)


def error_record(utterance, frame):
    """All that is wrong with one parse, ready for `json.dumps`.

    Args:
        utterance: `Utterance`, the gold.
        frame: `Frame` of its text.

    Returns:
        dict, or `None` when nothing is wrong: `text`, `origin`; `gold` and
        `predicted`, each with `intents` and `slots` (predicted ones with
        confidences, and `is_unknown` and `truncated`); `errors`, each with
        its `kind`, `gold`, `predicted` and the `confidence` of what was
        predicted (`None` where a slot was missed).
    """
    errors = []
    if not intents_right(utterance, frame):
        errors.append(
            {
                "kind": "intent",
                "gold": list(utterance.intents),
                "predicted": list(frame.active_intents),
                "confidence": answer_confidence(frame),
            }
        )
    for error in slot_errors(utterance.slots, frame.slots):
        errors.append(
            {
                "kind": error.kind,
                "gold": error.gold and _slot(error.gold, utterance.text),
                "predicted": error.predicted and _slot(error.predicted, frame.text),
                "confidence": error.predicted and error.predicted.confidence,
            }
        )
    if not errors:
        return None
    active = [intent for intent in frame.intents if intent.active]
    return {
        "text": utterance.text,
        "origin": utterance.origin,
        "gold": {
            "intents": list(utterance.intents),
            "slots": [_slot(slot, utterance.text) for slot in utterance.slots],
        },
        "predicted": {
            "intents": [
                {"name": intent.name, "probability": intent.probability}
                for intent in active
            ],
            "slots": [
                {**_slot(slot, frame.text), "confidence": slot.confidence}
                for slot in frame.slots
            ],
            "is_unknown": frame.is_unknown,
            "truncated": frame.truncated,
        },
        "errors": errors,
    }


def _slot(slot, text):
    return {
        "name": slot.name,
        "value": text[slot.start : slot.end],
        "start": slot.start,
        "end": slot.end,
    }


def severity(record):
    """The highest confidence that a wrong answer of a record was given with."""
    return max(error["confidence"] or 0.0 for error in record["errors"])
