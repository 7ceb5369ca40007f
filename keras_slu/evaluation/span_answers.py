"""Exact match and F1 of answers found in a passage, as CMRC 2018 counts them."""

import re
from difflib import SequenceMatcher

# The marks that do not count, those of the official script.
_MARKS = "-:_*^/\\~`+=，。：？！“”；’《》……·、「」（）－～『』"
_UNIT = re.compile(
    rf"[\u4e00-\u9fff]|[{re.escape(_MARKS)}]|[^\W\u4e00-\u9fff]+|[^\w\s]"
)


def exact_match(answers, predicted):
    """Whether the answer is one of those given, 1.0 or 0.0.

    Case, marks and white space around do not count.

    >>> exact_match(["《红楼梦》", "红楼"], "红楼梦。")
    1.0
    """
    given = _without_marks(predicted)
    return float(any(_without_marks(answer) == given for answer in answers))


def span_f1(answers, predicted):
    """The F1 of an answer with the nearest of those given.

    Counted over Chinese characters and words of other scripts, by the longest
    run of them that both have.

    Args:
        answers: list of str.
        predicted: str.

    Returns:
        float, from 0 to 1.

    Example:

    >>> span_f1(["光荣和Omega force"], "光荣和omega")
    0.888888888888889

    Reference: Cui et al., "A Span-Extraction Dataset for Chinese Machine
    Reading Comprehension", 2019, and its script `cmrc2018_evaluate.py`.
    """
    given = _units(predicted)
    return max((_f1(_units(answer), given) for answer in answers), default=0.0)


def _f1(wanted, given):
    # `autojunk` would leave out what is frequent in long answers.
    matcher = SequenceMatcher(None, wanted, given, autojunk=False)
    size = matcher.find_longest_match().size
    if not size:
        return 0.0
    precision, recall = size / len(given), size / len(wanted)
    return 2 * precision * recall / (precision + recall)


def _units(text):
    """Chinese characters and words, lower case, without marks."""
    return [unit for unit in _UNIT.findall(text.lower()) if unit not in _MARKS]


def _without_marks(text):
    return "".join(c for c in text.lower().strip() if c not in _MARKS)
