"""What each split holds, counted, and what the counts of all splits show."""

from keras_slu.data.findings import Finding
from keras_slu.data.findings import place

RARE = 5  # fewer training examples than this are few to learn a label from
_ADD = "Add examples to training; until then each one counts as an error."


class Tally:
    """Counts of one split.

    Args:
        name: str. The name of the split.

    Attributes:
        utterances: int.
        intents: dict of tuples of intents, in the order of the source, to
            `[count, origin of the first]`.
        slots: the same for slot names.
        long_slots: the same, of slots of several tokens alone.
        capitals: the same for `True`, utterances with a capital letter, and
            `False`, the others.
    """

    def __init__(self, name):
        self.name = name
        self.utterances = 0
        self.intents = {}
        self.slots = {}
        self.long_slots = {}
        self.capitals = {}

    def add(self, block):
        """Counts a `Block`."""
        self.utterances += len(block.utterances)
        for utterance in block.utterances:
            text, origin = utterance.text, utterance.origin
            _count(self.intents, utterance.intents, origin)
            _count(self.capitals, text != text.lower(), origin)
        owners, slots, (starts, ends) = block.slots
        tokens_before = block.begins.cumsum()
        is_long = tokens_before[ends - 1] > tokens_before[starts]
        for owner, slot, long in zip(owners, slots, is_long.tolist(), strict=True):
            origin = block.utterances[owner].origin
            _count(self.slots, slot.name, origin)
            if long:
                _count(self.long_slots, slot.name, origin)

    def tags(self):
        """The BIO tags as `slots` has the names: number and first origin."""
        begins = {f"B-{name}": counted for name, counted in self.slots.items()}
        return begins | {f"I-{name}": c for name, c in self.long_slots.items()}


def _count(table, label, origin):
    counted = table.get(label)
    if counted is None:
        table[label] = [1, origin]
    else:
        counted[0] += 1


def check_tallies(tallies):
    """Compares the counts of all splits.

    Args:
        tallies: list of `Tally`, training first.

    Yields:
        `Finding`s: intents and tags that training lacks, labels that are rare
        in it, names that differ only in case, capitals here but not there.
    """
    train, *others = tallies
    for tally in others:
        yield from _unseen_intents(tally, train)
        yield from _unseen_tags(tally, train)
    yield from _rare("rare_intent", _in_any_order(train.intents), _told)
    yield from _rare("rare_slot", train.slots, "the slot {!r}".format)
    names = {}
    for tally in tallies:
        for intents, (_, origin) in tally.intents.items():
            names.update(dict.fromkeys(set(intents) - set(names), origin))
    yield from _alike("intents", names)
    slots = {}
    for tally in tallies:
        slots.update({n: o for n, (_, o) in tally.slots.items() if n not in slots})
    yield from _alike("slots", slots)
    yield from _mixed_case(tallies)


def _warning(kind, origin, problem, remedy):
    return Finding(kind, "warning", *place(origin), problem, remedy)


def _unseen_intents(tally, train):
    known_sets = set(map(frozenset, train.intents))
    for names, (count, origin) in tally.intents.items():
        if names in train.intents:
            continue
        if frozenset(names) in known_sets:
            what = f"has {_told(names)} in another order only"
            remedy = "It is the same set of intents; write it in one order."
        else:
            what, remedy = f"lacks {_told(names)}", _ADD
        problem = f"training {what} ({_times(count)} in {tally.name})"
        yield _warning("unseen_intent", origin, problem, remedy)


def _unseen_tags(tally, train):
    known = train.tags()
    for tag, (count, origin) in tally.tags().items():
        if tag not in known:
            yield _warning(
                "unseen_tag",
                origin,
                f"training lacks the tag {tag!r} ({_times(count)} in {tally.name})",
                _ADD,
            )


def _in_any_order(intents):
    """The counts of intents as sets, each spelled as it is first."""
    spellings, counts = {}, {}
    for names, (count, origin) in intents.items():
        spelling = spellings.setdefault(frozenset(names), names)
        counts.setdefault(spelling, [0, origin])[0] += count
    return counts


def _rare(kind, counts, told):
    for label, (count, origin) in counts.items():
        if label and count < RARE:  # no intent at all is no label
            yield _warning(
                kind,
                origin,
                f"{told(label)}, only {_times(count)} in training",
                f"Add examples, to at least {RARE}, or merge it with another.",
            )


def _alike(what, origins):
    """Names such as `City` and `city`, which are two labels."""
    spellings = {}
    for name in origins:
        spellings.setdefault(name.casefold(), []).append(name)
    for names in spellings.values():
        if len(names) > 1:
            yield _warning(
                "label_case",
                origins[names[-1]],
                f"the {what} {', '.join(map(repr, names))} differ only in case",
                "Write them alike, unless they are to be different labels.",
            )


def _mixed_case(tallies):
    counts = [(tally, tally.capitals.get(True, [0, ""])) for tally in tallies]
    total = sum(tally.utterances for tally in tallies)
    if 0 < sum(count for _, (count, _) in counts) < total:
        told = ", ".join(
            f"{count:,} of {tally.utterances:,} {tally.name}"
            for tally, (count, _) in counts
        )
        yield _warning(
            "mixed_case",
            next(origin for _, (count, origin) in counts if count),
            f"capital letters in {told} utterances",
            "Keep text.lowercase: true in the recipe, or write all alike.",
        )


def _told(names):
    if not names:
        return "utterances without an intent"
    return f"the intent{'s' if len(names) > 1 else ''} {'#'.join(names)!r}"


def _times(count):
    return "once" if count == 1 else f"{count:,} times"
