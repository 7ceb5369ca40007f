"""BIO tags: what they name, and which chunks they form.

`B-x` begins a chunk of slot `x`, `I-x` continues it, `O` is outside. The slot
name is all that follows the first dash, so it may hold `-` and `#` itself.
"""


def split_tag(tag):
    """Splits a tag into its prefix and its slot name.

    Returns:
        `("B", name)`, `("I", name)` or `("O", "")`; `("", "")` for anything
        else, such as `None`, `""`, `"UNK"` or a prefix without a name.

    Example:

    >>> split_tag("I-from-city#2"), split_tag("O"), split_tag("UNK")
    (('I', 'from-city#2'), ('O', ''), ('', ''))
    """
    if tag == "O":
        return "O", ""
    if tag and tag[:2] in ("B-", "I-") and len(tag) > 2:
        return tag[0], tag[2:]
    return "", ""


def chunks(tags, strict=False):
    """Finds the chunks of one utterance.

    Whatever is not a BIO tag (see `split_tag`) reads as `O`.

    Args:
        tags: sequence of str.
        strict: bool. How to read an `I-x` that continues no chunk of `x`: at
            the start, after `O`, or after another slot. `False` is the reading
            of `conlleval`, which the published tables use: it begins a chunk.
            `True` is IOB2, as `seqeval` reads it with `mode="strict"`: it
            belongs to nothing. Both end the chunk before it.

    Returns:
        list of `(name, start, end)`, in order: slot name, first token, token
        after the last.

    Example:

    >>> chunks(["B-city", "I-city", "O", "I-day"])
    [('city', 0, 2), ('day', 3, 4)]
    >>> chunks(["B-city", "I-city", "O", "I-day"], strict=True)
    [('city', 0, 2)]

    Reference: Tjong Kim Sang and Buchholz, "Introduction to the CoNLL-2000
    Shared Task: Chunking", 2000, and its script `conlleval`.
    """
    found = []
    open_name, start = None, 0
    for position, tag in enumerate([*tags, "O"]):  # the last O closes the rest
        prefix, name = split_tag(tag)
        if prefix == "I" and name == open_name:
            continue
        if open_name is not None:
            found.append((open_name, start, position))
        begins = prefix == "B" or (prefix == "I" and not strict)
        open_name, start = (name if begins else None), position
    return found


def tag_names(slot_names):
    """Lists the tags of some slots: `O`, then `B-` and `I-` of each by name.

    Example:

    >>> tag_names(["day", "city"])
    ['O', 'B-city', 'I-city', 'B-day', 'I-day']
    """
    names = sorted(set(slot_names))
    return ["O", *(f"{prefix}-{name}" for name in names for prefix in "BI")]
