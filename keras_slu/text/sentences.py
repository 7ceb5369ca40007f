"""Where the sentences of a text are."""

import re

# An end takes the closing quotes and brackets after it along. A period ends a
# sentence only where a space follows, so not inside of 3.5.
_END = re.compile(r"[。！？!?；\n]+[”’」』）)\"']*|\.+[\"')]*(?=\s)")


def sentence_spans(text):
    """The sentences of a text in Chinese or English, `(start, end)` of each.

    Args:
        text: str.

    Returns:
        list of pairs of int, in order; white space around sentences is in
        none, and a sentence is never empty.

    Example:

    >>> text = "他说：“好！”然后走了。It was 3.5 km."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['他说：“好！”', '然后走了。', 'It was 3.5 km.']
    """
    ends = [match.end() for match in _END.finditer(text)]
    spans, start = [], 0
    for end in [*ends, len(text)]:
        part = text[start:end]
        first = start + len(part) - len(part.lstrip())
        last = start + len(part.rstrip())
        if first < last:
            spans.append((first, last))
        start = end
    return spans
