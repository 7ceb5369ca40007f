"""The one counter behind every score of intents and slots.

What each figure means stands with `Scores`. All are fractions over all
utterances given, and `0 / 0` is 0.0.
"""

from collections import Counter
from dataclasses import asdict
from dataclasses import dataclass
from dataclasses import replace
from typing import NamedTuple

from keras_slu.data.tags import chunks
from keras_slu.data.tags import split_tag


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of one utterance, gold or predicted.

    A label that training never saw stays what it is in the gold; `None` or
    `""` stands for one that has no name. Neither is ever counted as right.

    Args:
        tags: sequence of str. One BIO tag a token.
        intents: tuple of str. A set; its order matters to
            `intent_accuracy_exact_string` alone.
    """

    tags: tuple[str, ...]
    intents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scores:
    """How well predictions match the gold.

    Slot figures are span-level and micro-averaged: a span is right when its
    name, start and end are. Without a span in gold and prediction, precision,
    recall and F1 are 0.0: nothing was found, and nothing is claimed.

    Args:
        utterances: int.
        overall_accuracy: float. Intents right and every tag right (for spans:
            the set of spans right).
        intent_accuracy: float. The whole set of intents right, in any order.
        intent_accuracy_exact_string: float. The intents right in the order of
            the source too, as published code compares `a#b`.
        intent_f1: float. Micro F1 over single intents.
        slot_precision: float. In the `conlleval` reading of BIO, as are the
            next two.
        slot_recall: float.
        slot_f1: float.
        slot_f1_strict: float. In the strict IOB2 reading; `None` for spans.
        token_accuracy: float. Tags right; `None` for spans.
        majority: `Scores` of always answering the gold's most frequent set of
            intents and no slots. Its own `majority` is `None`.
    """

    utterances: int
    overall_accuracy: float
    intent_accuracy: float
    intent_accuracy_exact_string: float
    intent_f1: float
    slot_precision: float
    slot_recall: float
    slot_f1: float
    slot_f1_strict: float | None = None
    token_accuracy: float | None = None
    majority: "Scores | None" = None

    def to_dict(self):
        """The figures that apply, as plain numbers ready for `json.dumps`."""
        figures = asdict(replace(self, majority=None))
        if self.majority is not None:
            figures["majority"] = self.majority.to_dict()
        return {name: value for name, value in figures.items() if value is not None}


def score(gold, predicted):
    """Scores tags and intents.

    A gold tag that is no BIO tag (`None`, `""`, `"UNK"`) is a wrong token and
    a span that was missed, whatever is predicted; predicted, it is a wrong
    token that claims no span.

    Args:
        gold: sequence of `Labels`, or of anything with `tags` and `intents`.
        predicted: as many, in the same order.

    Returns:
        `Scores`.

    Raises:
        ValueError: no utterances, another number of predictions, or another
            number of tags in an utterance, with its index.

    Example:

    >>> gold = [Labels(("O", "B-city", "I-city"), ("flight", "fare")),
    ...         Labels(("B-day",), ("flight",))]
    >>> predicted = [Labels(("O", "B-city", "I-city"), ("fare", "flight")),
    ...              Labels(("O",), ("flight",))]
    >>> scores = score(gold, predicted)
    >>> scores.overall_accuracy, scores.intent_accuracy, scores.token_accuracy
    (0.5, 1.0, 0.75)
    >>> scores.slot_precision, scores.slot_recall, scores.slot_f1
    (1.0, 0.5, 0.6666666666666666)

    Reference: Tjong Kim Sang and Buchholz, 2000 (`conlleval`), for the slot
    figures; Goo et al., "Slot-Gated Modeling", 2018, for overall accuracy.
    """
    _check_numbers(gold, predicted)
    for index, (wanted, given) in enumerate(zip(gold, predicted, strict=True)):
        if len(wanted.tags) != len(given.tags):
            raise ValueError(
                f"utterance {index} has {len(wanted.tags)} gold tags "
                f"but {len(given.tags)} predicted ones"
            )
    intents = _majority_intents(gold)
    constant = [Labels(("O",) * len(item.tags), intents) for item in gold]
    return replace(_score_tags(gold, predicted), majority=_score_tags(gold, constant))


def score_spans(gold, frames):
    """Scores parses of raw text by character spans.

    For parsers whose tokens are not the gold's: a slot is right when its name
    and both character offsets are, and no figure depends on tokens.

    Args:
        gold: sequence of `keras_slu.data.utterance.Utterance`.
        frames: as many `keras_slu.parsing.frame.Frame`, in the same order; the
            active intents are the answer.

    Returns:
        `Scores`, without `slot_f1_strict` and `token_accuracy`.

    Raises:
        ValueError: no utterances, another number of frames, or a frame of
            another text, with its index.

    Example:

    >>> from keras_slu.data.utterance import SlotSpan, Utterance
    >>> from keras_slu.parsing.frame import Frame, Intent, Slot
    >>> gold = Utterance("to Rome", slots=(SlotSpan("city", 3, 7),),
    ...                  intents=("flight",))
    >>> frame = Frame("to Rome", (Intent("flight", 0.9, True),),
    ...               (Slot("city", "Rome", 3, 7, 0.8),))
    >>> score_spans([gold], [frame]).overall_accuracy
    1.0
    """
    _check_numbers(gold, frames)
    for index, (utterance, frame) in enumerate(zip(gold, frames, strict=True)):
        if utterance.text != frame.text:
            raise ValueError(
                f"utterance {index} is {utterance.text!r} "
                f"but its frame is of {frame.text!r}"
            )
    wanted = []
    for item in gold:
        spans = {(_known(slot.name), slot.start, slot.end) for slot in item.slots}
        wanted.append(_Answer(tuple(map(_known, item.intents)), spans, spans))
    given = []
    for frame in frames:
        spans = {(slot.name, slot.start, slot.end) for slot in frame.slots}
        given.append(_Answer(frame.active_intents, spans, spans))
    constant = [_Answer(_majority_intents(gold), set(), set())] * len(gold)
    return replace(_count(wanted, given), majority=_count(wanted, constant))


class _Answer(NamedTuple):
    """One utterance, gold or predicted, as the counter takes it."""

    intents: tuple
    spans: set
    slots: object  # what must be equal for every slot to be right


def _count(gold, predicted):
    """The figures that tags and character spans share, from `_Answer`s."""
    pairs = list(zip(gold, predicted, strict=True))
    intents_right = [set(g.intents) == set(p.intents) for g, p in pairs]
    all_right = [
        right and g.slots == p.slots
        for right, (g, p) in zip(intents_right, pairs, strict=True)
    ]
    precision, recall, f1 = _micro((g.spans, p.spans) for g, p in pairs)
    return Scores(
        utterances=len(pairs),
        overall_accuracy=_ratio(sum(all_right), len(pairs)),
        intent_accuracy=_ratio(sum(intents_right), len(pairs)),
        intent_accuracy_exact_string=_ratio(
            sum(tuple(g.intents) == tuple(p.intents) for g, p in pairs), len(pairs)
        ),
        intent_f1=_micro((set(g.intents), set(p.intents)) for g, p in pairs)[2],
        slot_precision=precision,
        slot_recall=recall,
        slot_f1=f1,
    )


def _score_tags(gold, predicted):
    """`_count` of `Labels`, and the figures that only tags have."""
    pairs = list(zip(gold, predicted, strict=True))
    wanted, given, strict_spans, tokens = [], [], [], []
    for g, p in pairs:
        intents = tuple(map(_known, g.intents))
        tags = [_known(tag if split_tag(tag)[0] else None) for tag in g.tags]
        wanted.append(_Answer(intents, _gold_spans(g.tags), tags))
        given.append(_Answer(p.intents, set(chunks(p.tags)), list(p.tags)))
        strict_spans.append((_gold_spans(g.tags, True), set(chunks(p.tags, True))))
        tokens.extend(a == b for a, b in zip(tags, p.tags, strict=True))
    return replace(
        _count(wanted, given),
        slot_f1_strict=_micro(strict_spans)[2],
        token_accuracy=_ratio(sum(tokens), len(tokens)),
    )


def _gold_spans(tags, strict=False):
    unreadable = {
        (_known(None), i, i + 1) for i, tag in enumerate(tags) if not split_tag(tag)[0]
    }
    return unreadable.union(chunks(tags, strict))


def _known(name):
    """A gold label; one without a name becomes what no prediction can equal."""
    return name or object()


def _micro(pairs):
    """Precision, recall and F1 over pairs of sets, gold and predicted."""
    hits = wanted = given = 0
    for gold, predicted in pairs:
        hits += len(gold & predicted)
        wanted += len(gold)
        given += len(predicted)
    return _ratio(hits, given), _ratio(hits, wanted), _ratio(2 * hits, wanted + given)


def _ratio(part, whole):
    return part / whole if whole else 0.0


def _majority_intents(gold):
    """The most frequent set of named intents, in its first order in the gold."""
    named = [tuple(item.intents) for item in gold if all(item.intents)]
    if not named:
        return ()
    [(most_frequent, _)] = Counter(map(frozenset, named)).most_common(1)
    return next(intents for intents in named if set(intents) == most_frequent)


def _check_numbers(gold, predicted):
    if not gold:
        raise ValueError("there are no utterances to score")
    if len(gold) != len(predicted):
        raise ValueError(f"{len(gold)} utterances but {len(predicted)} predictions")
