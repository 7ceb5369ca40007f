"""YAML as plain nodes with their lines: nothing in it is ever constructed."""

import re
from typing import Any
from typing import NamedTuple

import yaml

from keras_slu.errors import InputError
from keras_slu.files import read_lines

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml may be missing
_DEPTH = 20  # of nodes in nodes; no format goes as deep
# What YAML forbids, or takes for the end of a line.
NOT_YAML = re.compile(
    "[^\t\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


class Node(NamedTuple):
    """A value and where it stands.

    Args:
        value: str; list of `Node`; or dict of str to `Node`.
        line: int, from 1, on which it begins.
        text_line: int, on which the first line of a string begins; `None` for
            strings whose lines are not those of the file.
    """

    value: Any
    line: int
    text_line: int | None = None


def read_yaml(path):
    """Reads the one document of a YAML file, which may be `.gz`.

    Scalars stay strings, whatever they look like. Anchors and tags are refused.

    Returns:
        `Node`.

    Raises:
        InputError: for anything else, with its line.
    """
    lines = []
    for line, text in read_lines(path):
        unfit = NOT_YAML.search(text)
        if unfit:
            problem = f"holds U+{ord(unfit[0]):04X}, which YAML does not allow"
            raise InputError(problem, "Remove it.", line=line)
        lines.append(text)
    try:
        return _read_document(yaml.parse("\n".join(lines) + "\n", Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        line = min(error.problem_mark.line + 1, len(lines))  # it may be the end
        raise InputError(
            f"invalid YAML ({error.problem})", "Mend it.", line=line
        ) from None


def _read_document(events):
    root = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if root is not None:
                raise _fault(event, "a second document", "Give each file one.")
            root = _read_node(events, next(events), 0)
    if root is None:
        raise InputError("is empty", "Give it utterances.")
    return root


def _read_node(events, event, depth):
    line = event.start_mark.line + 1
    if event.anchor or getattr(event, "tag", None):
        raise _fault(event, "an anchor, alias or tag", "Write the value itself.")
    if depth > _DEPTH:
        raise _fault(event, "nodes too deep in nodes", "Mend the file.")
    if isinstance(event, yaml.ScalarEvent):
        if not event.value and event.start_mark.column == 0:
            line = max(1, line - 1)  # nothing, behind the end of the line before
        return Node(event.value, line, {"|": line + 1, "": line}.get(event.style or ""))
    if isinstance(event, yaml.SequenceStartEvent):
        return Node(_read_items(events, depth), line)
    return Node(_read_members(events, depth), line)


def _read_items(events, depth):
    items = []
    while not isinstance(event := next(events), yaml.SequenceEndEvent):
        items.append(_read_node(events, event, depth + 1))
    return items


def _read_members(events, depth):
    members = {}
    while not isinstance(event := next(events), yaml.MappingEndEvent):
        key = _read_node(events, event, depth + 1).value
        if not isinstance(key, str):
            raise _fault(event, "a key that is no string", "Make it one.")
        if key in members:
            raise _fault(event, f"the key {key!r} again", "Keep one of them.")
        members[key] = _read_node(events, next(events), depth + 1)
    return members


def _fault(event, problem, remedy):
    return InputError(problem, remedy, line=event.start_mark.line + 1)
