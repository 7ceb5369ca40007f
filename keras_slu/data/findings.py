"""What validation finds, and how much each kind of finding matters.

An error is what training refuses. A warning trains, but costs scores or hides
a mistake.
"""

from dataclasses import asdict
from dataclasses import dataclass

# In the order in which they are told.
KINDS = {
    "format": "records that break their format",
    "slot_off_tokens": "slots that do not sit on token boundaries",
    "surrogate": "lone surrogates",
    "separator": "unusual separators and control characters",
    "double_space": "double spaces",
    "empty": "utterances without a token",
    "too_long": "utterances that will be cut",
    "other_tokens": "tokens that the tokenizer would not make",
    "two_labelings": "texts with two labelings",
    "across_splits": "repeats across splits",
    "duplicate": "repeats within a split",
    "unseen_intent": "intents that training lacks",
    "unseen_tag": "slot tags that training lacks",
    "rare_intent": "rare intents",
    "rare_slot": "rare slots",
    "label_case": "label names that differ only in case",
    "mixed_case": "mixed case",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that validation found.

    Args:
        kind: str. One of `KINDS`.
        severity: str. `"error"` or `"warning"`.
        file: str, or `None` for data without files.
        line: int, from 1, or `None`.
        problem: str. What is wrong, with the offending value.
        remedy: str. What to do about it.
    """

    kind: str
    severity: str
    file: str | None
    line: int | None
    problem: str
    remedy: str

    def to_dict(self):
        """The finding as plain values, ready for `json.dumps`."""
        return asdict(self)


def place(origin):
    """Splits an utterance's origin into file and line.

    >>> place("data/seq.in:12"), place("")
    (('data/seq.in', 12), (None, None))
    """
    file, _, line = origin.rpartition(":")
    if line.isdecimal():
        return file, int(line)
    return origin or None, None


def told(file, line):
    """A place as messages tell it.

    >>> told("data/seq.in", 12), told("a corpus", None)
    ('data/seq.in:12', 'a corpus')
    """
    return ":".join(str(part) for part in (file, line) if part is not None)
